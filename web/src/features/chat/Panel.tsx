import X from "lucide-react/icons/x";
import { useEffect, useId, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Passage } from "../documents/Passage";
import { placeOf } from "../documents/model";
import { IconButton } from "../../ui/Button";
import styles from "./Panel.module.css";
import type { Opened } from "./Turn";
import type { Source } from "./model";

type Props = {
  readonly opened: Opened;
  readonly source: Source;
  readonly onClose: () => void;
  /** Above the page and not beside it. */
  readonly floating?: boolean;
};

/** The source beside the conversation. Escape closes it and goes back to where one was. */
export function Panel({ opened, source, onClose, floating = false }: Props) {
  const { t } = useTranslation();
  const heading = useId();
  const panel = useRef<HTMLElement>(null);
  const citations = opened.mark?.citations;
  const place = useMemo(() => placeOf((citations ?? []).map((citation) => citation.anchor)), [citations]);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [opened]);
  return (
    <aside
      ref={panel}
      className={styles.panel}
      data-floating={floating || undefined}
      tabIndex={-1}
      aria-label={t("chat.source", { n: opened.n })}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className={styles.head}>
        <span className={styles.name}>{t("chat.source", { n: opened.n })}</span>
        <IconButton label={t("action.close")} onPress={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className={styles.body}>
        <Passage
          documentId={source.document_id}
          place={place}
          supersededBy={source.superseded_by ?? null}
          headingId={heading}
        />
      </div>
    </aside>
  );
}
