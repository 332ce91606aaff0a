import { type ReactNode, Suspense, lazy, useState } from "react";
import { Button } from "react-aria-components/Button";

// Positions, focus and typing ahead are much code; it comes when a menu is first pointed at.
const load = () => import("./MenuOverlay");
const MenuOverlay = lazy(() => load().then((own) => ({ default: own.MenuOverlay })));

export type MenuItem = {
  readonly id: string;
  readonly text: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly onAction: () => void;
};

export type MenuSection = { readonly title?: string; readonly items: readonly MenuItem[] };

export type MenuProps = {
  readonly label: string;
  readonly className: string;
  /** The button's own text names it; `label` is of the menu alone. */
  readonly named?: boolean;
  readonly placement?: "bottom end" | "bottom start" | "top start";
  readonly sections: readonly MenuSection[];
  /** What the button shows. */
  readonly children: ReactNode;
};

export function Menu(props: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <Button
      className={props.className}
      {...(props.named ? {} : { "aria-label": props.label })}
      aria-haspopup="menu"
      onHoverStart={() => void load()}
      onPress={() => setWanted(true)}
    >
      {props.children}
    </Button>
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <MenuOverlay {...props} />
    </Suspense>
  );
}
