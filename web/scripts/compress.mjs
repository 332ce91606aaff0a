// Compresses what the gateway serves, once, as small as it gets.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FOLDER = new URL("../dist/", import.meta.url).pathname;
const COMPRESSIBLE = new Set([".html", ".js", ".css", ".svg", ".json"]);
const BYTES_MIN = 512;

for (const entry of await readdir(FOLDER, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !COMPRESSIBLE.has(extname(entry.name))) continue;
  const content = await readFile(path);
  if (content.length < BYTES_MIN) continue;
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
  await writeFile(
    `${path}.br`,
    brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    }),
  );
}
