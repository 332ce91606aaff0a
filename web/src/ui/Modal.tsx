import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal as AriaModal, ModalOverlay } from "react-aria-components/Modal";
import { IconButton } from "./Button";
import styles from "./Modal.module.css";

type Props = {
  readonly title: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Whether it can be left without choosing. */
  readonly dismissable?: boolean;
  readonly wide?: boolean;
  readonly children: ReactNode;
};

export function Modal({ title, open, onOpenChange, dismissable = true, wide = false, children }: Props) {
  const { t } = useTranslation();
  return (
    <ModalOverlay
      className={styles.scrim ?? ""}
      isOpen={open}
      onOpenChange={onOpenChange}
      isDismissable={dismissable}
      isKeyboardDismissDisabled={!dismissable}
    >
      <AriaModal className={`${styles.modal} ${wide ? styles.wide : ""}`}>
        <Dialog className={styles.dialog ?? ""}>
          <div className={styles.head}>
            <Heading slot="title" level={2} className={styles.title ?? ""}>
              {title}
            </Heading>
            {dismissable && (
              <IconButton label={t("action.close")} onPress={() => onOpenChange(false)}>
                <X aria-hidden />
              </IconButton>
            )}
          </div>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
