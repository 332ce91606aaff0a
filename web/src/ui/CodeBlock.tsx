import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./CodeBlock.module.css";
import { IconButton } from "./Button";

const COPIED_MS = 1_600;

export function CodeBlock({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const code = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(code.current?.textContent ?? "");
    setCopied(true);
  };
  return (
    <div className={styles.frame}>
      <pre ref={code} tabIndex={0} dir="ltr">
        {children}
      </pre>
      <div className={styles.copy}>
        <IconButton label={copied ? t("action.copied") : t("action.copy")} onPress={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </IconButton>
      </div>
    </div>
  );
}
