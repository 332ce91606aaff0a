import Check from "lucide-react/icons/check";
import { Button } from "react-aria-components/Button";
import { Header } from "react-aria-components/Header";
import {
  Menu as AriaMenu,
  MenuItem as AriaItem,
  MenuSection as AriaSection,
  MenuTrigger,
} from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import type { MenuItem, MenuProps } from "./Menu";
import styles from "./Menu.module.css";

/** Opens at once: it is loaded by whoever pressed the button. */
export function MenuOverlay({
  label,
  className,
  placement = "bottom end",
  named = false,
  sections,
  children,
}: MenuProps) {
  return (
    <MenuTrigger defaultOpen>
      <Button className={className} {...(named ? {} : { "aria-label": label })}>
        {children}
      </Button>
      <Popover className={styles.popover ?? ""} placement={placement} offset={6}>
        <AriaMenu aria-label={label} className={styles.menu ?? ""}>
          {sections.map(({ title, items }, index) => (
            <AriaSection
              key={title ?? index}
              className={styles.section ?? ""}
              {...(title ? {} : { "aria-label": label })}
            >
              {title && <Header className={styles.header ?? ""}>{title}</Header>}
              {items.map(item)}
            </AriaSection>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function item({ id, text, icon, danger, checked, onAction }: MenuItem) {
  return (
    <AriaItem
      key={id}
      id={id}
      className={`${styles.item} ${danger ? styles.danger : ""}`}
      onAction={onAction}
      textValue={text}
      {...(checked ? { "aria-current": true as const } : {})}
    >
      {icon}
      <span className={styles.text}>{text}</span>
      {checked && <Check aria-hidden className={styles.check} />}
    </AriaItem>
  );
}
