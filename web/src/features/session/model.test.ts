import { expect, it } from "vitest";
import { initials, nameOf, returnPath } from "./model";

it.each([
  ["/chat/7?x=1", "/chat/7?x=1"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/sign-in?return_to=/", "/"],
  [null, "/"],
])("after signing in %j leads to %j", (given, expected) => {
  expect(returnPath(given)).toBe(expected);
});

it("names and initials are made of what there is", () => {
  expect(nameOf("ingrid.halvorsen@kelvane.example")).toBe("Ingrid Halvorsen");
  expect(initials("Ingrid Halvorsen")).toBe("IH");
  expect(initials("陈伟")).toBe("陈");
  expect(initials("")).toBe("?");
});
