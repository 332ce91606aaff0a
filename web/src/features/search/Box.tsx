import SearchIcon from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type FocusEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import { length } from "../../text/codePoints";
import { IconButton } from "../../ui/Button";
import styles from "./Page.module.css";
import { Suggestions } from "./Suggestions";
import { QUERY_CHARACTERS_MAX, personQuery } from "./model";

type Props = { readonly query: string; readonly onSearch: (query: string) => void };

/** The field, and below it what begins so. Arrows choose, Enter takes, Escape closes. */
export function Box({ query, onSearch }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(query);
  const [searched, setSearched] = useState(query);
  if (query !== searched) {
    setSearched(query);
    setText(query);
  }
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const tooLong = length(text.trim()) > QUERY_CHARACTERS_MAX;
  useFocus(field, query === "");
  const search = (wanted: string) => {
    setOpen(false);
    if (wanted && length(wanted) <= QUERY_CHARACTERS_MAX) onSearch(wanted);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) {
      event.preventDefault(); // a browser would empty the field
      event.stopPropagation();
      setOpen(false);
    }
    if (event.key === "ArrowDown" && !open && event.target === field.current) {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-row]")?.focus();
    }
  };
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  };
  return (
    <form
      role="search"
      className={styles.form}
      onSubmit={submit}
      onKeyDownCapture={onKeyDown}
      onBlur={onBlur}
    >
      <Autocomplete
        inputValue={text}
        disableAutoFocusFirst
        onInputChange={(typed) => {
          setText(typed);
          setOpen(true);
        }}
      >
        <div className={styles.box}>
          <SearchIcon aria-hidden />
          <TextField type="search" className={styles.field ?? ""} isInvalid={tooLong}>
            <Label className="visually-hidden">{t("search.label")}</Label>
            <Input ref={field} dir="auto" placeholder={t("search.placeholder")} />
          </TextField>
          {text && (
            <IconButton
              label={t("search.clear")}
              onPress={() => {
                setText("");
                field.current?.focus();
              }}
            >
              <X aria-hidden />
            </IconButton>
          )}
          <kbd className={styles.key}>/</kbd>
        </div>
        {open && (
          <Suggestions
            typed={text.trim()}
            onPerson={(name) => {
              setText(personQuery(name));
              search(personQuery(name));
            }}
            onClose={() => setOpen(false)}
          />
        )}
      </Autocomplete>
      {tooLong && (
        <p role="alert" className={styles.tooLong}>
          {t("chat.too_long", { count: length(text.trim()) - QUERY_CHARACTERS_MAX })}
        </p>
      )}
    </form>
  );
}

/** At once on an empty page; by "/" on every other, unless somebody types elsewhere. */
function useFocus(field: { readonly current: HTMLInputElement | null }, atOnce: boolean): void {
  useEffect(() => {
    if (atOnce) field.current?.focus();
    const onKey = (event: globalThis.KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest("input, textarea, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.select();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [field, atOnce]);
}
