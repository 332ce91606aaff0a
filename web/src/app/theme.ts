import { useCallback, useState } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

// public/theme.js reads it before the first paint.
const KEY = "cortex:theme";

function stored(): Theme {
  const text = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === text) ?? "system";
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(stored);
  const choose = useCallback((chosen: Theme) => {
    setTheme(chosen);
    localStorage.setItem(KEY, chosen);
    if (chosen === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = chosen;
  }, []);
  return [theme, choose];
}
