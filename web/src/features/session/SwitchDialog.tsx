import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { Modal } from "../../ui/Modal";
import { ChoosePerson } from "./ChoosePerson";

type Props = ComponentProps<typeof ChoosePerson> & { readonly onClose: () => void };

export function SwitchDialog({ onClose, ...choosing }: Props) {
  const { t } = useTranslation();
  return (
    <Modal title={t("person.switch")} open onOpenChange={(open) => !open && onClose()}>
      <ChoosePerson {...choosing} />
    </Modal>
  );
}
