import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import i18next from "i18next";
import { describe, expect, it } from "vitest";
import en from "../../i18n/en.json";
import { Prose } from "./Prose";
import { blocks, marked, parts } from "./blocks";
import type { Segment } from "./model";

const i18n = i18next.createInstance();
await i18n.init({ showSupportNotice: false, lng: "en", resources: { en: { translation: en } } });

const sentence = (text: string, ...numbers: number[]): Segment => ({ text, numbers, citations: [] });

function shown(...segments: Segment[]): string {
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <Prose segments={segments} chip={(mark, index) => <b key={index}>{mark.n}</b>} />
    </I18nextProvider>,
  );
}

describe("the text of an answer", () => {
  it("shows lists, with chips where sentences cite", () => {
    const html = shown(sentence("Three dogs. [1][2]", 1, 2), sentence("\n- a list", 3));
    expect(html).toContain("Three dogs.<b>1</b><b>2</b>");
    expect(html).toContain("<li>");
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "<style>body{display:none}</style>",
  ])("shows markup as text: %s", (markup) => {
    const html = shown(sentence(`Before ${markup} after.`));
    expect(html).not.toMatch(/<(script|img|svg|iframe|style|a)[\s/>]/);
    expect(html).toContain("&lt;");
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "JaVaScRiPt:alert(1)",
    "file:///etc/passwd",
    "//evil.example/x",
  ])("does not lead to %s", (address) => {
    expect(shown(sentence(`[click](${address})`))).not.toContain(`href="${address}"`);
  });

  it.each([
    String.raw`\\\\files01\_public\yorble`,
    "3*4*5 and ~5~ and **/*.py",
    "&copy; is a sign",
    "# number 7",
    "> 7 of them",
    "`__init__` calls [that](this)",
  ])("shows signs as they stand: %s", (text) => {
    const told = shown(sentence(text)).replace(/<[^>]+>/g, "");
    expect(told.replaceAll("&gt;", ">").replaceAll("&amp;", "&")).toBe(text);
  });

  it("ends an address where its citation begins", () => {
    const html = shown(sentence("It is kept at https://wiki.example/a_page [1]", 1));
    expect(html).toContain('href="https://wiki.example/a_page"');
    expect(html).toContain("</a><b>1</b>");
  });

  it("loads no picture, and says where it is", () => {
    const html = shown(sentence("![a chart](https://evil.example/track.png)"));
    expect(html).not.toContain("<img");
    expect(html).toContain('href="https://evil.example/track.png"');
  });

  it("cannot forge a chip, by a number or by the characters that mark one", () => {
    const html = shown(sentence("As [9] says \ue0000\ue001.", 1), sentence("\n\n[1]: https://evil.example"));
    expect(html).toContain("As [9] says 0.<b>1</b>");
    expect(html).not.toContain("evil.example/");
  });

  it("drops characters that turn the direction of what follows", () => {
    expect(shown(sentence("safe\u202egnp.exe"))).toContain("safegnp.exe");
  });

  it("keeps chips out of code", () => {
    const html = shown(sentence("```\nmake setup\n``` [1]", 1), sentence("`x` [2]", 2));
    expect(html).not.toMatch(/<code[^>]*>[^<]*<b>/);
  });

  it("shows the beginning of a code block of a megabyte, and its chip", () => {
    const html = shown(sentence("```\n" + "x = 1\n".repeat(170_000) + "``` [1]", 1));
    expect(html.length).toBeLessThan(25_000);
    expect(html).toContain("Show all");
    expect(html).toContain("<b>1</b>");
  });
});

describe("the blocks of a growing answer", () => {
  it("are what is between blank lines, but for code and lists", () => {
    const text = "One.\n\nTwo\nlines.\n\n```\na\n\nb\n```\n\n- x\n\n- y\n\nEnd";
    expect(blocks(text)).toEqual(["One.", "Two\nlines.", "```\na\n\nb\n```", "- x\n\n- y", "End"]);
  });

  it("stay as they were when text is added", () => {
    const text = "One.\n\nTwo.\n\nThree.";
    for (let end = 1; end <= text.length; end += 1) {
      const before = blocks(text.slice(0, end)).slice(0, -1);
      expect(blocks(text).slice(0, before.length)).toEqual(before);
    }
  });

  it("hold the marks that parts finds again", () => {
    const { text, marks } = marked([sentence("One. [4]", 4), sentence(" Two. [5][6]", 5, 6)]);
    expect(marks.map(({ n }) => n)).toEqual([4, 5, 6]);
    expect(parts(text)).toEqual([{ text: "One." }, { mark: 0 }, { text: " Two." }, { mark: 1 }, { mark: 2 }]);
  });
});
