import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import en from "./en.json";

export const LANGUAGES = { en: "English", de: "Deutsch", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = "cortex:language";
const LOADERS: Record<Language, () => Promise<{ default: unknown }>> = {
  en: async () => ({ default: en }),
  de: () => import("./de.json"),
  zh: () => import("./zh.json"),
};

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

function isLanguage(text: string | undefined | null): text is Language {
  return text !== undefined && text !== null && text in LANGUAGES;
}

/** The one that was chosen, else the first that the browser prefers and that there is. */
export function preferred(stored: string | null, browser: readonly string[]): Language {
  if (isLanguage(stored)) return stored;
  return browser.map((tag) => tag.split("-")[0]?.toLowerCase()).find(isLanguage) ?? "en";
}

export async function startI18n(storage: Storage): Promise<i18n> {
  const instance = i18next.createInstance();
  await instance.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    resources: { en: { translation: en } },
    showSupportNotice: false,
    interpolation: { escapeValue: false },
  });
  await speak(instance, preferred(storage.getItem(KEY), navigator.languages));
  return instance;
}

/** Loads a language's texts when it is first spoken. */
export async function speak(instance: i18n, language: Language, storage?: Storage): Promise<void> {
  if (!instance.hasResourceBundle(language, "translation")) {
    const loaded = await LOADERS[language]();
    instance.addResourceBundle(language, "translation", loaded.default);
  }
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = instance.dir(language);
  storage?.setItem(KEY, language);
}
