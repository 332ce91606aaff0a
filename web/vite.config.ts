import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The gateway of a platform that runs; only `npm run dev` asks it.
const gateway = process.env["CORTEX_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  esbuild: { jsx: "automatic" },
  // The parser of tables brings a writer of Markdown along, which nothing here calls.
  resolve: {
    alias: { "mdast-util-to-markdown": fileURLToPath(new URL("src/text/noWriter.ts", import.meta.url)) },
  },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: "manifest.json",
    rollupOptions: {
      // Directives for servers that render; there is none here.
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
      output: {
        // One file for what changes only with a dependency, so that a new release of ours is a small download.
        manualChunks: (id) =>
          /node_modules\/(react|react-dom|scheduler|react-router)\//.test(id) ? "react" : undefined,
      },
    },
  },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  server: {
    // The browser's own Host goes along, since the gateway compares it with the page's origin.
    proxy: Object.fromEntries(
      ["/v1", "/auth", "/admin", "/healthz"].map((path) => [path, { target: gateway, changeOrigin: false }]),
    ),
  },
  test: { include: ["src/**/*.test.{ts,tsx}"], environment: "node" },
});
