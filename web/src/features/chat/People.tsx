import UserRound from "lucide-react/icons/user-round";
import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "react-aria-components/Button";
import { buttonClass } from "../../ui/Button";
import { authorName } from "../session/model";

// The field, the list and their place are much code; it comes when somebody points at the button.
const load = () => import("./PeopleOverlay");
const PeopleOverlay = lazy(() => load().then((own) => ({ default: own.PeopleOverlay })));

export type Offered = { readonly value: string; readonly count: number };
export type PeopleProps = {
  readonly chosen: readonly string[];
  /** Whom a search found, with how much of theirs. */
  readonly offered?: readonly Offered[];
  readonly onChange: (chosen: readonly string[]) => void;
};

/** Narrows to what some people wrote. */
export function People(props: PeopleProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const text = props.chosen.length ? props.chosen.map(authorName).join(", ") : t("filter.anyone");
  const button = (
    <Button
      className={buttonClass("quiet", "sm")}
      aria-label={`${t("filter.person")}: ${text}`}
      aria-haspopup="dialog"
      onHoverStart={() => void load()}
      onPress={() => setWanted(true)}
    >
      <UserRound aria-hidden />
      <span data-unset={!props.chosen.length || undefined}>{text}</span>
    </Button>
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <PeopleOverlay {...props} text={text} />
    </Suspense>
  );
}
