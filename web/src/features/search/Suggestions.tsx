import UserRound from "lucide-react/icons/user-round";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { useNavigate } from "react-router";
import { useApi } from "../../api/ApiContext";
import { type Suggestion, suggestionsQuery } from "../../api/suggestions";
import { plain, plainTitle } from "../../text/plain";
import { useSettled } from "../../text/useSettled";
import menu from "../../ui/Menu.module.css";
import { SourceIcon } from "../../ui/SourceIcon";
import { placeAddress } from "../documents/model";
import { authorName } from "../session/model";
import styles from "./Page.module.css";

type Props = {
  readonly typed: string;
  readonly onPerson: (name: string) => void;
  readonly onClose: () => void;
};

/** Documents to open and people to look through; nothing where the gateway names none. */
export function Suggestions({ typed, onPerson, onClose }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: found = [] } = useQuery(suggestionsQuery(useApi(), useSettled(typed)));
  if (!typed || !found.length) return null;
  const take = (suggestion: Suggestion | undefined) => {
    onClose();
    if (suggestion?.kind === "person") onPerson(suggestion.text);
    if (suggestion?.kind === "document") void navigate(placeAddress(suggestion.document_id, null));
  };
  return (
    <ListBox
      aria-label={t("search.suggestions")}
      className={styles.suggestions ?? ""}
      items={found.map((suggestion) => ({ id: idOf(suggestion), suggestion }))}
      selectionMode="none"
      onAction={(id) => take(found.find((one) => idOf(one) === id))}
    >
      {({ suggestion }) => (
        <ListBoxItem textValue={suggestion.text} className={menu.item ?? ""}>
          {suggestion.kind === "person" ? (
            <UserRound aria-hidden />
          ) : (
            <SourceIcon source={suggestion.source} />
          )}
          <bdi className={styles.suggestion}>
            {suggestion.kind === "person"
              ? authorName(suggestion.text)
              : plainTitle(suggestion.text, t("document.untitled"))}
          </bdi>
          <span className={styles.kind}>
            {suggestion.kind === "person" ? t("search.written_by") : plain(suggestion.source.name)}
          </span>
        </ListBoxItem>
      )}
    </ListBox>
  );
}

function idOf(suggestion: Suggestion): string {
  return suggestion.kind === "person" ? `person ${suggestion.text}` : suggestion.document_id;
}
