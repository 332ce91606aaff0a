import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components/Button";
import { Tooltip, TooltipTrigger } from "react-aria-components/Tooltip";
import styles from "./Button.module.css";

type Look = "primary" | "secondary" | "quiet" | "danger";
type ButtonProps = Omit<AriaButtonProps, "className" | "style"> & {
  readonly look?: Look;
  readonly size?: "md" | "sm";
  readonly wide?: boolean;
};

export function buttonClass(look: Look, size: "md" | "sm"): string {
  return [styles.button, styles[look], styles[size]].join(" ");
}

export function Button({ look = "secondary", size = "md", wide = false, ...props }: ButtonProps) {
  return <AriaButton {...props} className={`${buttonClass(look, size)} ${wide ? styles.wide : ""}`} />;
}

type IconButtonProps = Omit<AriaButtonProps, "className" | "style" | "children" | "aria-label"> & {
  readonly label: string;
  readonly look?: "plain" | "primary";
  readonly pressed?: boolean;
  readonly children: ReactNode;
};

/** A picture alone; its name is read out and shown on hover and focus. */
export function IconButton({ label, look = "plain", pressed, children, ...props }: IconButtonProps) {
  const names = [styles.icon, look === "primary" ? styles.iconPrimary : "", pressed ? styles.pressed : ""];
  const state = pressed === undefined ? {} : { "aria-pressed": pressed };
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      <AriaButton {...props} {...state} aria-label={label} className={names.join(" ")}>
        {children}
      </AriaButton>
      <Tooltip className={styles.tooltip ?? ""} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
