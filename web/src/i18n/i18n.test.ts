import { expect, it } from "vitest";
import { preferred } from ".";

it.each([
  [null, ["de-AT", "en"], "de"],
  [null, ["fr", "zh-Hant-TW"], "zh"],
  [null, ["fr"], "en"],
  ["zh", ["de"], "zh"],
  ["klingon", ["de"], "de"],
])("of %j and %j the language is %j", (stored, browser, expected) => {
  expect(preferred(stored, browser)).toBe(expected);
});
