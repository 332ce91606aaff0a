import { describe, expect, it } from "vitest";
import { ago } from "./ago";
import { length, pieces, slice } from "./codePoints";
import { excerpt } from "./excerpt";
import { plain, plainTitle } from "./plain";

describe("code points", () => {
  it.each([
    ["plain", 1, 3, "la"],
    ["a🐕b🐈c", 1, 4, "🐕b🐈"],
    ["🐕🐕", 0, 9, "🐕🐕"],
    ["x", 5, 9, ""],
  ])("of %j from %i to %i are %j", (text, start, end, expected) => {
    expect(slice(text, start, end)).toBe(expected);
  });

  it("are counted as the gateway counts them", () => {
    expect(length("a🐕b")).toBe(3);
  });
});

describe("marks", () => {
  it("cut a text without losing any of it", () => {
    const spans = [
      [1, 2],
      [4, 99],
      [1, 3],
      [9, 4],
    ] as const;
    const found = pieces("a🐕bcde", spans);
    expect(found.map(({ text }) => text).join("")).toBe("a🐕bcde");
    expect(found.filter(({ marked }) => marked).map(({ text }) => text)).toEqual(["🐕", "b", "de"]);
  });

  it("of an empty text are none", () => {
    expect(pieces("", [[0, 3]])).toEqual([{ text: "", marked: false }]);
  });
});

describe("texts of documents", () => {
  it("lose what would reorder or hide text around them, and keep the rest", () => {
    expect(plain("a\u202eb\u2066c\u0000d\u200be\tf\ng")).toBe("abcde\tf\ng");
    expect(plain("שלום عليكم 你好")).toBe("שלום عليكم 你好");
  });

  it("are titles of one line, never of none", () => {
    expect(plainTitle("  a\n\tb ", "Untitled")).toBe("a b");
    expect(plainTitle("\u202e\u200b ", "Untitled")).toBe("Untitled");
  });
});

describe("how long ago", () => {
  const now = new Date("2026-11-30T12:00:00Z");
  it.each([
    ["2026-11-30T11:59:40Z", "now"],
    ["2026-11-30T09:00:00Z", "3 hours ago"],
    ["2026-11-29T12:00:00Z", "yesterday"],
    ["2025-11-30T00:00:00Z", "last year"],
    ["nonsense", ""],
  ])("%s is %j", (time, expected) => {
    expect(ago(time, now, "en")).toBe(expected);
  });
});

it("of a megabyte the part with the quote is shown", () => {
  const text = "a".repeat(900_000) + "QUOTE" + "b".repeat(100_000);
  const part = excerpt(text, [[900_000, 900_005]], 20_000);
  expect(part.text).toHaveLength(20_000);
  expect(part.text.slice(900_000 - part.from, 900_005 - part.from)).toBe("QUOTE");
});
