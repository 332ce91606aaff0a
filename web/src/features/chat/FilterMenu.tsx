import Calendar from "lucide-react/icons/calendar";
import { useTranslation } from "react-i18next";
import { buttonClass } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import type { Filters } from "./store";

export const PERIODS = { any: 0, week: 7, month: 30, year: 365 } as const;
export type Period = keyof typeof PERIODS;

const DAY_MS = 86_400_000;

export function since(period: Period, now: Date): string | null {
  return period === "any" ? null : new Date(now.getTime() - PERIODS[period] * DAY_MS).toISOString();
}

/** The period whose begin is nearest to a time: the menu shows what was chosen, whenever that was. */
export function periodOf(updatedAfter: string | null, now: Date): Period {
  if (updatedAfter === null) return "any";
  const days = (now.getTime() - new Date(updatedAfter).getTime()) / DAY_MS;
  const known = (Object.keys(PERIODS) as Period[]).filter((period) => period !== "any");
  return known.sort((a, b) => Math.abs(PERIODS[a] - days) - Math.abs(PERIODS[b] - days))[0] ?? "any";
}

type Props = { readonly filters: Filters; readonly onChange: (filters: Filters) => void };

export function FilterMenu({ filters, onChange }: Props) {
  const { t } = useTranslation();
  const chosen = periodOf(filters.updatedAfter, new Date());
  const items = (Object.keys(PERIODS) as Period[]).map((period) => ({
    id: period,
    text: t(`filter.period_${period}`),
    checked: period === chosen,
    onAction: () => onChange({ ...filters, updatedAfter: since(period, new Date()) }),
  }));
  const text = t(`filter.period_${chosen}`);
  return (
    <Menu
      label={`${t("filter.time")}: ${text}`}
      placement="bottom start"
      className={buttonClass("quiet", "sm")}
      sections={[{ items }]}
    >
      <Calendar aria-hidden />
      {text}
    </Menu>
  );
}
