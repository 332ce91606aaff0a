import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { createApi } from "../../api/client";
import { Modal } from "../../ui/Modal";
import styles from "./Session.module.css";
import { SignIn } from "./SignIn";
import type { Session } from "./model";

type Props = { readonly last: Session; readonly onSignedIn: () => Promise<void> };

export function ExpiredDialog({ last, onSignedIn }: Props) {
  const { t } = useTranslation();
  const api = useMemo(() => createApi(), []);
  const { pathname, search } = useLocation();
  return (
    <Modal title={t("sign_in.expired")} open dismissable={false} onOpenChange={() => undefined}>
      <p className={styles.lead}>{t("sign_in.expired_what", { email: last.email })}</p>
      <SignIn api={api} returnTo={pathname + search} onSignedIn={onSignedIn} />
    </Modal>
  );
}
