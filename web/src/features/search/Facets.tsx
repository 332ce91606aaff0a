import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { useApi } from "../../api/ApiContext";
import { sourcesQuery } from "../../api/sources";
import { plain } from "../../text/plain";
import { Time } from "../chat/FilterMenu";
import { People } from "../chat/People";
import { NO_FILTERS, periodOf, since, toggled } from "../chat/filters";
import styles from "./Page.module.css";
import type { Found, Search } from "./model";

type Props = {
  readonly search: Search;
  readonly facets: Found["facets"];
  readonly onChange: (search: Search) => void;
};

/** Counts are of what was looked at, of what this person may open. */
export function Facets({ search, facets, onChange }: Props) {
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames([i18n.language], { type: "language", fallback: "code" });
  const { data: known = [] } = useQuery(sourcesQuery(useApi()));
  const sources = facets["source_id"]?.values ?? [];
  const languages = facets["language"]?.values ?? [];
  const authors = facets["author"]?.values ?? [];
  return (
    <div className={styles.facets} role="group" aria-label={t("search.narrow")}>
      <Time
        filters={{ ...NO_FILTERS, updatedAfter: since(search.period, new Date()) }}
        onChange={({ updatedAfter }) => onChange({ ...search, period: periodOf(updatedAfter, new Date()) })}
      />
      <People
        chosen={search.authors}
        offered={authors}
        onChange={(chosen) => onChange({ ...search, authors: chosen })}
      />
      {(sources.length > 1 || search.sources.length > 0) &&
        sources.map(({ value, count }) => (
          <Facet
            key={value}
            name={plain(known.find((source) => source.id === value)?.name ?? "…")}
            count={count}
            chosen={search.sources.includes(value)}
            onToggle={() => onChange({ ...search, sources: toggled(search.sources, value) })}
          />
        ))}
      {(languages.length > 1 || search.languages.length > 0) &&
        languages.map(({ value, count }) => (
          <Facet
            key={value}
            name={nameOf(names, value)}
            count={count}
            chosen={search.languages.includes(value)}
            onToggle={() => onChange({ ...search, languages: toggled(search.languages, value) })}
          />
        ))}
    </div>
  );
}

function nameOf(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch (error) {
    if (error instanceof RangeError) return code; // "und" and the like
    throw error;
  }
}

type FacetProps = {
  readonly name: string;
  readonly count: number;
  readonly chosen: boolean;
  readonly onToggle: () => void;
};

function Facet({ name, count, chosen, onToggle }: FacetProps) {
  return (
    <ToggleButton className={styles.facet ?? ""} isSelected={chosen} onChange={onToggle}>
      {name} <span className={styles.facetCount}>{count}</span>
    </ToggleButton>
  );
}
