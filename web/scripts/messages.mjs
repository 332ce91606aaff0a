// Every language says the same things: the same keys, with the same places to fill in.
import { readFileSync } from "node:fs";

const FOLDER = new URL("../src/i18n/", import.meta.url);
const LANGUAGES = ["en", "de", "zh"];
const PLURAL = /_(zero|one|two|few|many|other)$/;

function flat(messages, prefix = "") {
  return Object.entries(messages).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value]] : flat(value, `${prefix}${key}.`),
  );
}

function places(text) {
  return [...text.matchAll(/{{(\w+)}}/g)].map((match) => match[1]).sort();
}

function read(language) {
  return flat(JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), "utf8")));
}

function shape(entries) {
  const found = new Map();
  for (const [key, text] of entries) {
    const own = key.replace(PLURAL, "");
    found.set(own, [...new Set([...(found.get(own) ?? []), ...places(text)])].sort());
  }
  return found;
}

const problems = [];
const wanted = shape(read(LANGUAGES[0]));
for (const language of LANGUAGES.slice(1)) {
  const given = shape(read(language));
  for (const [key, names] of wanted) {
    if (!given.has(key)) problems.push(`${language}: ${key} is missing`);
    else if (String(given.get(key)) !== String(names))
      problems.push(`${language}: ${key} fills in other names`);
  }
  for (const key of given.keys())
    if (!wanted.has(key)) problems.push(`${language}: ${key} is not in English`);
}
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
