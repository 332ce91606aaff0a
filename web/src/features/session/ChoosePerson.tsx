import Search from "lucide-react/icons/search";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import type { Api } from "../../api/client";
import { Avatar } from "../../ui/Avatar";
import { Empty, ErrorState, Skeleton } from "../../ui/States";
import styles from "./Session.module.css";
import { peopleQuery } from "./api";
import { type LocalPerson, matches } from "./model";

type Props = {
  readonly api: Api;
  readonly onChoose: (person: LocalPerson) => void;
  readonly current?: string;
  readonly disabled?: boolean;
};

/** The people of the evaluation, to be one of them. */
export function ChoosePerson({ api, onChoose, current, disabled = false }: Props) {
  const { t } = useTranslation();
  const query = useQuery(peopleQuery(api));
  const [typed, setTyped] = useState("");
  const people = useMemo(
    () => (query.data ?? []).filter((person) => matches(person, typed)),
    [query.data, typed],
  );
  if (query.isPending) return <Skeleton lines={5} />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data.length) return <Empty title={t("sign_in.nobody.title")}>{t("sign_in.nobody.what")}</Empty>;
  return (
    <div className={styles.choose}>
      <label className={styles.find}>
        <Search aria-hidden />
        <span className="visually-hidden">{t("sign_in.find")}</span>
        <input
          type="search"
          value={typed}
          placeholder={t("sign_in.find")}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            const only = people[0];
            if (event.key === "Enter" && only && !event.nativeEvent.isComposing) onChoose(only);
          }}
        />
      </label>
      <ListBox
        aria-label={t("sign_in.people")}
        className={styles.people ?? ""}
        items={people}
        selectionMode="none"
        renderEmptyState={() => <p className={styles.none}>{t("sign_in.none_found")}</p>}
        onAction={(key) => {
          const person = people.find((one) => one.email === key);
          if (person && !disabled) onChoose(person);
        }}
      >
        {(person) => (
          <ListBoxItem id={person.email} textValue={person.name} className={styles.person ?? ""}>
            <Avatar name={person.name} email={person.email} />
            <span className={styles.who}>
              <span className={styles.name} dir="auto">
                {person.name}
              </span>
              <span className={styles.email}>{person.email}</span>
            </span>
            {person.guest && <span className={styles.badge}>{t("person.guest")}</span>}
            {person.email === current && <span className={styles.badge}>{t("person.you")}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </div>
  );
}
