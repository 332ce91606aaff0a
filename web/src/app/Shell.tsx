import Menu from "lucide-react/icons/menu";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../ui/Button";
import { Logo } from "../ui/Logo";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";

/** The frame of every page. On a narrow screen the side is a drawer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [open]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        {t("nav.skip")}
      </a>
      <header className={styles.topbar}>
        <IconButton label={t("nav.open")} aria-expanded={open} onPress={() => setOpen(true)}>
          <Menu aria-hidden />
        </IconButton>
        <Logo />
      </header>
      {open && <div className={styles.scrim} onClick={() => setOpen(false)} />}
      <div className={styles.side} data-open={open || undefined}>
        <Sidebar onClose={() => setOpen(false)} />
      </div>
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
    </div>
  );
}
