import { useTranslation } from "react-i18next";
import { ago, day } from "../text/ago";

/** How long ago, with the date on hover. */
export function Ago({ time }: { readonly time: string }) {
  const { i18n } = useTranslation();
  const language = i18n.language;
  return (
    <time dateTime={time} title={day(time, language)}>
      {ago(time, new Date(), language)}
    </time>
  );
}
