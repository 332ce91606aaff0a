import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { useApi } from "../../api/ApiContext";
import { useTitle } from "../../app/title";
import { plainTitle } from "../../text/plain";
import { Button } from "../../ui/Button";
import { Empty, ErrorState, Skeleton } from "../../ui/States";
import { placeAddress, placeOf } from "../documents/model";
import { Box } from "./Box";
import { Facets } from "./Facets";
import { Help } from "./Help";
import styles from "./Page.module.css";
import { Preview } from "./Preview";
import { ResultRow } from "./ResultRow";
import { searchQuery } from "./api";
import { type Result, type Search, hintsOf, rowAfter, searchAddress, searchFrom } from "./model";

export function Page() {
  const { t } = useTranslation();
  const [parameters, setParameters] = useSearchParams();
  const search = searchFrom(parameters);
  useTitle(plainTitle(search.query, t("nav.search")));
  const change = (next: Search) => setParameters(searchAddress(next));
  return (
    <div className={styles.page}>
      <h1 className="visually-hidden">{t("nav.search")}</h1>
      <Box query={search.query} onSearch={(query) => change({ ...search, query })} />
      {search.query ? (
        <Results key={`results ${search.query}`} search={search} onChange={change} />
      ) : (
        <Help />
      )}
    </div>
  );
}

type ResultsProps = { readonly search: Search; readonly onChange: (search: Search) => void };

function Results({ search, onChange }: ResultsProps) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(searchQuery(useApi(), search));
  const [row, setRow] = useState(0);
  const first = query.data?.pages[0];
  if (query.isPending) return <Skeleton lines={9} />;
  if (query.isError && !first) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const results = query.data?.pages.flatMap((page) => page.results) ?? [];
  const selected = results[Math.min(row, results.length - 1)];
  return (
    <>
      <Facets search={search} facets={first?.facets ?? {}} onChange={onChange} />
      {first && first.degraded.length > 0 && <p className={styles.notice}>{t("search.degraded")}</p>}
      <p role="status" className={styles.count}>
        {query.isFetching
          ? t("state.loading")
          : t("search.count", { count: results.length, more: query.hasNextPage ? "+" : "" })}
      </p>
      {results.length ? (
        <div className={styles.columns} aria-busy={query.isPlaceholderData}>
          <div className={styles.list}>
            <Rows results={results} row={row} onRow={setRow} />
            {query.hasNextPage && (
              <Button wide isDisabled={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
                {t("search.more")}
              </Button>
            )}
          </div>
          {selected && <Preview key={selected.document_id} result={selected} />}
        </div>
      ) : (
        <Empty title={t("search.none.title")}>
          <p>{t("search.none.what")}</p>
          {first &&
            hintsOf(first.read).map(({ key, names }) => (
              <p key={key} dir="auto">
                {t(`search.none.${key}`, { names })}
              </p>
            ))}
        </Empty>
      )}
    </>
  );
}

type RowsProps = {
  readonly results: readonly Result[];
  readonly row: number;
  readonly onRow: (row: number) => void;
};

/** Arrows walk through the rows, Enter opens the one in focus. */
function Rows({ results, row, onRow }: RowsProps) {
  const navigate = useNavigate();
  const list = useRef<HTMLOListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = rowAfter(event.key, row, results.length);
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onRow(next);
    list.current?.querySelectorAll<HTMLElement>("[data-row]")[next]?.focus();
  };
  return (
    <ol ref={list} className={styles.rows} onKeyDown={onKeyDown}>
      {results.map((result, index) => (
        <ResultRow
          key={result.document_id}
          result={result}
          selected={index === row}
          onSelect={() => onRow(index)}
          onOpen={() => void navigate(placeAddress(result.document_id, placeOf([result.anchor])))}
        />
      ))}
    </ol>
  );
}
