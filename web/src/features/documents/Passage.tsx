import ExternalLink from "lucide-react/icons/external-link";
import FileText from "lucide-react/icons/file-text";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useApi } from "../../api/ApiContext";
import { plain, plainTitle } from "../../text/plain";
import { authorName } from "../session/model";
import { Ago } from "../../ui/Ago";
import { SourceIcon } from "../../ui/SourceIcon";
import { ErrorState, Skeleton } from "../../ui/States";
import { Blocks } from "./Blocks";
import { Superseded, type SupersededBy } from "./Superseded";
import styles from "./Passage.module.css";
import { documentQuery } from "./api";
import { type Document, type Place, body, isCurrent, placeAddress, surroundings } from "./model";

const AROUND = 3;

type Props = {
  readonly documentId: string;
  readonly place: Place | null;
  readonly supersededBy?: SupersededBy | null;
  readonly headingId: string;
};

/** A document at one place, with what stands around it. What may not be opened any more says so and nothing else. */
export function Passage({ documentId, place, supersededBy = null, headingId }: Props) {
  const { t } = useTranslation();
  const query = useQuery(documentQuery(useApi(), documentId));
  const own = useRef<HTMLElement>(null);
  const current = query.data ? isCurrent(query.data, place) : true;
  useEffect(() => {
    showWithin(own.current?.parentElement, own.current?.querySelector("[data-anchored]"));
  }, [query.data, place]);
  if (query.isPending) return <Skeleton lines={7} />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const blocks = body(query.data);
  const around = place && current ? surroundings(blocks, place.blockId, AROUND) : [];
  return (
    <article ref={own} className={styles.passage} aria-labelledby={headingId}>
      <Head document={query.data} headingId={headingId} />
      {supersededBy && <Superseded by={supersededBy} />}
      {!current && <p className={styles.notice}>{t("document.changed")}</p>}
      <Blocks blocks={around.length ? around : blocks.slice(0, 2 * AROUND)} place={current ? place : null} />
      <Links document={query.data} place={current ? place : null} />
    </article>
  );
}

/** Scrolls the panel that holds the passage, and never the page around it. */
function showWithin(panel: HTMLElement | null | undefined, anchored: Element | null | undefined): void {
  if (!panel || !anchored) return;
  const offset = anchored.getBoundingClientRect().top - panel.getBoundingClientRect().top;
  panel.scrollTop += offset - panel.clientHeight / 3;
}

function Head({ document, headingId }: { readonly document: Document; readonly headingId: string }) {
  const { t } = useTranslation();
  return (
    <header className={styles.head}>
      <h2 id={headingId} className={styles.title} dir="auto">
        {plainTitle(document.title, t("document.untitled"))}
      </h2>
      <Details document={document} />
    </header>
  );
}

export function Details({ document }: { readonly document: Document }) {
  return (
    <p className={styles.details}>
      <span className={styles.source}>
        <SourceIcon source={document.source} />
        {plain(document.source.name)}
      </span>
      {document.author && <bdi>{authorName(document.author)}</bdi>}
      {document.updated_at && <Ago time={document.updated_at} />}
    </p>
  );
}

function Links({ document, place }: { readonly document: Document; readonly place: Place | null }) {
  const { t } = useTranslation();
  return (
    <p className={styles.links}>
      <Link to={placeAddress(document.document_id, place)}>
        <FileText aria-hidden />
        {t("document.open")}
      </Link>
      {/^https?:/i.test(document.url) && (
        <a href={document.url} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden />
          {t("document.open_source", { source: plain(document.source.name) })}
        </a>
      )}
    </p>
  );
}
