import Calendar from "lucide-react/icons/calendar";
import Layers from "lucide-react/icons/layers";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { sourcesQuery } from "../../api/sources";
import { plain } from "../../text/plain";
import { buttonClass } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { SourceIcon } from "../../ui/SourceIcon";
import { People } from "./People";
import { type Filters, PERIODS, type Period, periodOf, since, toggled } from "./filters";

type Props = { readonly filters: Filters; readonly onChange: (filters: Filters) => void };

/** Where a question is looked for: how old, in which sources, and by whom. */
export function FilterMenu({ filters, onChange }: Props) {
  return (
    <>
      <Time filters={filters} onChange={onChange} />
      <Sources filters={filters} onChange={onChange} />
      <People chosen={filters.authors} onChange={(authors) => onChange({ ...filters, authors })} />
    </>
  );
}

export function Time({ filters, onChange }: Props) {
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
      <span data-unset={chosen === "any" || undefined}>{text}</span>
    </Menu>
  );
}

function Sources({ filters, onChange }: Props) {
  const { t } = useTranslation();
  const { data: sources = [] } = useQuery(sourcesQuery(useApi()));
  const chosen = sources.filter((source) => filters.sourceIds.includes(source.id));
  const text = chosen.length ? chosen.map((source) => plain(source.name)).join(", ") : t("filter.any_source");
  if (sources.length < 2) return null;
  const any = {
    id: "any",
    text: t("filter.any_source"),
    checked: !chosen.length,
    onAction: () => onChange({ ...filters, sourceIds: [] }),
  };
  const items = sources.map((source) => ({
    id: source.id,
    text: plain(source.name),
    icon: <SourceIcon source={source} />,
    checked: filters.sourceIds.includes(source.id),
    onAction: () => onChange({ ...filters, sourceIds: toggled(filters.sourceIds, source.id) }),
  }));
  return (
    <Menu
      label={`${t("filter.source")}: ${text}`}
      placement="bottom start"
      className={buttonClass("quiet", "sm")}
      sections={[{ items: [any] }, { items }]}
    >
      <Layers aria-hidden />
      <span data-unset={!chosen.length || undefined}>{text}</span>
    </Menu>
  );
}
