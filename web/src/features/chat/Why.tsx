import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { data } from "../../api/client";
import { plain, plainTitle } from "../../text/plain";
import { Modal } from "../../ui/Modal";
import { SourceIcon } from "../../ui/SourceIcon";
import { ErrorState, Skeleton } from "../../ui/States";
import styles from "./Why.module.css";
import { type Explanation, isStage, ranksShown, stagesOf, share } from "./explanation";

type Props = { readonly answerId: string; readonly onDone: () => void };

/** How an answer came to be: what was found and in which order, what of it was used, and where the time went. */
export function Why({ answerId, onDone }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const query = useQuery({
    queryKey: ["explain", answerId],
    queryFn: () =>
      data<Explanation>(
        api.calls.GET("/v1/answers/{answer}/explain", { params: { path: { answer: answerId } } }),
      ),
  });
  return (
    <Modal title={t("why.title")} open onOpenChange={onDone} wide>
      {query.isPending && <Skeleton lines={6} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <Explained explanation={query.data} />}
    </Modal>
  );
}

function Explained({ explanation }: { readonly explanation: Explanation }) {
  const { t } = useTranslation();
  const { passages } = explanation;
  const used = passages.filter((passage) => passage.used).length;
  const cited = passages.filter((passage) => passage.cited).length;
  const steps = [
    [t("why.found"), passages.length],
    [t("why.used"), used],
    [t("why.cited"), cited],
  ] as const;
  return (
    <>
      <ol className={styles.steps}>
        {steps.map(([name, count]) => (
          <li key={name}>
            <span className={styles.count}>{count}</span>
            <span className={styles.name}>{name}</span>
            <meter
              className={styles.bar}
              min={0}
              max={Math.max(1, passages.length)}
              value={count}
              aria-label={name}
            />
          </li>
        ))}
      </ol>
      <Passages explanation={explanation} />
      <Times stages={explanation.stages_ms} />
    </>
  );
}

function Passages({ explanation }: { readonly explanation: Explanation }) {
  const { t } = useTranslation();
  const names = ranksShown(explanation);
  if (!explanation.passages.length) return <p className={styles.none}>{t("why.nothing")}</p>;
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={t("why.passages")}>
      <table className={styles.table}>
        <caption className="visually-hidden">{t("why.passages")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("why.document")}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {t(`why.rank_${name}`)}
              </th>
            ))}
            <th scope="col">{t("why.role")}</th>
          </tr>
        </thead>
        <tbody>
          {explanation.passages.map((passage) => (
            <tr key={passage.chunk_id} data-cited={passage.cited || undefined}>
              <th scope="row" dir="auto">
                <span className={styles.title}>
                  <SourceIcon source={passage.source} />
                  {plainTitle(plain(passage.title), t("document.untitled"))}
                </span>
              </th>
              {names.map((name) => (
                <td key={name}>{passage.ranks[name] ?? "–"}</td>
              ))}
              <td>{passage.cited ? t("why.is_cited") : passage.used ? t("why.is_used") : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Times({ stages }: { readonly stages: Explanation["stages_ms"] }) {
  const { t } = useTranslation();
  const shown = stagesOf(stages);
  if (!shown.length) return null;
  return (
    <section className={styles.times}>
      <h3>{t("why.time")}</h3>
      <dl>
        {shown.map(({ name, ms }) => (
          <div key={name}>
            <dt>{isStage(name) ? t(`why.stage_${name}`) : name}</dt>
            <dd>
              <meter className={styles.bar} min={0} max={1} value={share(ms, shown)} aria-label={name} />
              {t("why.ms", { ms: Math.round(ms) })}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
