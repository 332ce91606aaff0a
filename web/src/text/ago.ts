/** Times as people say them. */

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function ago(time: string, now: Date, language: string): string {
  const seconds = (new Date(time).getTime() - now.getTime()) / 1000;
  if (Number.isNaN(seconds)) return "";
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(0, "second");
}

export function day(time: string, language: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? ""
    : new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(date);
}
