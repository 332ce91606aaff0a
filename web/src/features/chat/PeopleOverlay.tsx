import Check from "lucide-react/icons/check";
import UserRound from "lucide-react/icons/user-round";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { TextField } from "react-aria-components/TextField";
import { useApi } from "../../api/ApiContext";
import { suggestionsQuery } from "../../api/suggestions";
import { useSettled } from "../../text/useSettled";
import { buttonClass } from "../../ui/Button";
import menu from "../../ui/Menu.module.css";
import { authorName } from "../session/model";
import type { PeopleProps } from "./People";
import styles from "./People.module.css";
import { peopleShown } from "./filters";

/** Opens at once: it is loaded by whoever pressed the button. */
export function PeopleOverlay({
  chosen,
  offered = [],
  onChange,
  text,
}: PeopleProps & { readonly text: string }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const { data: suggested = [] } = useQuery(suggestionsQuery(useApi(), useSettled(typed.trim())));
  const named = suggested.filter((one) => one.kind === "person").map((one) => one.text);
  const shown = peopleShown({ chosen, offered, named, typed });
  return (
    <DialogTrigger defaultOpen>
      <Button className={buttonClass("quiet", "sm")} aria-label={`${t("filter.person")}: ${text}`}>
        <UserRound aria-hidden />
        <span data-unset={!chosen.length || undefined}>{text}</span>
      </Button>
      <Popover className={menu.popover ?? ""} placement="bottom start" offset={6}>
        <Dialog aria-label={t("filter.person")} className={styles.dialog ?? ""}>
          <Autocomplete inputValue={typed} onInputChange={setTyped} disableAutoFocusFirst>
            <TextField aria-label={t("filter.find_person")} type="search" autoFocus>
              <Input dir="auto" className={styles.find ?? ""} placeholder={t("filter.find_person")} />
            </TextField>
            <ListBox
              aria-label={t("filter.people")}
              className={styles.people ?? ""}
              items={shown.map((one) => ({ id: one.name, ...one }))}
              selectionMode="multiple"
              escapeKeyBehavior="none"
              selectedKeys={[...chosen]}
              onSelectionChange={(keys) => keys !== "all" && onChange([...keys].map(String))}
              renderEmptyState={() => (
                <p className={styles.none}>{t(typed.trim() ? "filter.nobody" : "filter.type_name")}</p>
              )}
            >
              {(person) => (
                <ListBoxItem id={person.name} textValue={authorName(person.name)} className={menu.item ?? ""}>
                  {({ isSelected }) => (
                    <>
                      <bdi className={menu.text}>{authorName(person.name)}</bdi>
                      {person.count !== null && <span className={styles.count}>{person.count}</span>}
                      {isSelected && <Check aria-hidden className={menu.check} />}
                    </>
                  )}
                </ListBoxItem>
              )}
            </ListBox>
          </Autocomplete>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
