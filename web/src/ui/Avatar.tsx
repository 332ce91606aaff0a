import { hueOf, initials } from "../features/session/model";
import styles from "./Avatar.module.css";

type Props = { readonly name: string; readonly email: string; readonly large?: boolean };

/** Decoration beside a name. */
export function Avatar({ name, email, large = false }: Props) {
  return (
    <span aria-hidden className={`${styles.avatar} ${large ? styles.large : ""}`} data-hue={hueOf(email)}>
      {initials(name)}
    </span>
  );
}
