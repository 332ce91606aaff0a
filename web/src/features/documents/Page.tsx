import ArrowLeft from "lucide-react/icons/arrow-left";
import Download from "lucide-react/icons/download";
import ExternalLink from "lucide-react/icons/external-link";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { useApi } from "../../api/ApiContext";
import { useTitle } from "../../app/title";
import { plain, plainTitle } from "../../text/plain";
import { IconButton } from "../../ui/Button";
import { Empty, ErrorState, Skeleton } from "../../ui/States";
import { Blocks } from "./Blocks";
import styles from "./Page.module.css";
import { Details } from "./Passage";
import { documentQuery } from "./api";
import { type Document, body, isCurrent, placeFrom } from "./model";

export function Page() {
  const { t } = useTranslation();
  const { document: id = "" } = useParams();
  const navigate = useNavigate();
  const query = useQuery(documentQuery(useApi(), id));
  useTitle(query.data ? plainTitle(query.data.title, t("document.untitled")) : t("document.title"));
  return (
    <div className={styles.page}>
      <div className={styles.back}>
        <IconButton label={t("action.back")} onPress={() => void navigate(-1)}>
          <ArrowLeft aria-hidden />
        </IconButton>
      </div>
      {query.isPending && <Skeleton lines={9} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} level={1} />}
      {query.data && <Read document={query.data} />}
    </div>
  );
}

function Read({ document }: { readonly document: Document }) {
  const { t } = useTranslation();
  const [parameters] = useSearchParams();
  const place = useMemo(() => placeFrom(parameters), [parameters]);
  const current = isCurrent(document, place);
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => {
    text.current?.querySelector("[data-anchored]")?.scrollIntoView({ block: "center" });
  }, [document, place]);
  return (
    <article className={styles.article}>
      <header className={styles.head}>
        <h1 className={styles.title} dir="auto">
          {plainTitle(document.title, t("document.untitled"))}
        </h1>
        <Details document={document} />
        <p className={styles.links}>
          {/^https?:/i.test(document.url) && (
            <a href={document.url} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden />
              {t("document.open_source", { source: plain(document.source.name) })}
            </a>
          )}
          <a href={`/v1/documents/${document.document_id}/original`} download>
            <Download aria-hidden />
            {t("document.download")}
          </a>
        </p>
        {!current && <p className={styles.notice}>{t("document.changed")}</p>}
      </header>
      <div ref={text}>
        {document.blocks.length ? (
          <Blocks blocks={body(document)} place={current ? place : null} />
        ) : (
          <Empty title={t("document.empty.title")}>
            <p>{t("document.empty.what")}</p>
            <Link to="/search">{t("nav.search")}</Link>
          </Empty>
        )}
      </div>
    </article>
  );
}
