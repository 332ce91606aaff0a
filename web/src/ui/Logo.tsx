import styles from "./Logo.module.css";

export function Logo() {
  return (
    <span className={styles.logo}>
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="9" className={styles.ground} />
        <path d="M21.8 11.6a7 7 0 1 0 0 8.8" className={styles.ring} />
        <circle cx="16" cy="16" r="2.3" className={styles.core} />
      </svg>
      Cortex
    </span>
  );
}
