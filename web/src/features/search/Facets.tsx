import { useTranslation } from "react-i18next";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { FilterMenu, periodOf, since } from "../chat/FilterMenu";
import { NO_FILTERS } from "../chat/store";
import styles from "./Page.module.css";
import { type Found, type Search, toggled } from "./model";

type Props = {
  readonly search: Search;
  readonly facets: Found["facets"];
  readonly onChange: (search: Search) => void;
};

/** Counts are of what was looked at, of what this person may open. */
export function Facets({ search, facets, onChange }: Props) {
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames([i18n.language], { type: "language", fallback: "code" });
  const types = facets["source_type"]?.values ?? [];
  const languages = facets["language"]?.values ?? [];
  return (
    <div className={styles.facets} role="group" aria-label={t("search.narrow")}>
      <FilterMenu
        filters={{ ...NO_FILTERS, updatedAfter: since(search.period, new Date()) }}
        onChange={({ updatedAfter }) => onChange({ ...search, period: periodOf(updatedAfter, new Date()) })}
      />
      {(types.length > 1 || search.types.length > 0) &&
        types.map(({ value, count }) => (
          <Facet
            key={value}
            name={value}
            count={count}
            chosen={search.types.includes(value)}
            onToggle={() => onChange({ ...search, types: toggled(search.types, value) })}
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
