import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.ts"] },
  ...tseslint.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 90, skipComments: true, skipBlankLines: true }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "Texts are never markup: render them as children.",
        },
        {
          selector: "JSXAttribute[name.name='style']",
          message: "The page's policy allows no inline styles; use a class.",
        },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
    },
  },
  { files: ["**/*.test.{ts,tsx}"], rules: { "max-lines-per-function": "off" } },
);
