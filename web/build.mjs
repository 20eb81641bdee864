/**
 * Bundles the page into web/built, with --tests the tests into build/web-tests, with --bare a page that is nothing
 * but an editor into build/bare-editor, with --package into web/dist what the npm package has beside web/built, with
 * --vscode the extension into vscode/built; --check says whether web/built is current.
 */

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { filledPage, readTexts, textsPlugin, translations } from "./texts.mjs";

const here = new URL(".", import.meta.url).pathname;
const BROWSERS = ["chrome111", "firefox113", "safari16.4"];
const MOST_BYTES = 200 * 1024; // gzipped, all that the page loads
const ALONE = new Set(["client.js", "dep-tree.js", "notebook.js"]); // for other pages
const LATER = /^(glossary|texts|names)-\w+\.json$/; // not loaded with the page

const common = {
  bundle: true,
  format: "esm",
  absWorkingDir: here,
  nodePaths: [`${here}node_modules`],
  tsconfigRaw: {},
  logLevel: "warning",
  plugins: [textsPlugin(here)],
};

async function pageFiles() {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: [
      { in: "source/page/page.ts", out: "page" },
      { in: "source/page/page.css", out: "page" },
      { in: "source/client/index.ts", out: "client" },
      { in: "source/tree/index.ts", out: "dep-tree" },
      { in: "source/notebook/index.ts", out: "notebook" },
    ],
    outdir: "built",
    minify: true,
    charset: "utf8",
    legalComments: "eof",
    target: BROWSERS,
    write: false,
    metafile: true,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.split("/").at(-1), Buffer.from(contents)]));
  const page = await readFile(`${here}source/page/index.html`, "utf8");
  files.set("index.html", Buffer.from(filledPage(page, await readTexts(here))));
  files.set("icon.svg", await readFile(`${here}source/page/icon.svg`));
  for (const [name, contents] of await translations(here)) files.set(name, contents);
  const texts = JSON.parse(await readFile(`${here}source/glossary/en.json`, "utf8"));
  files.set("glossary-en.json", Buffer.from(JSON.stringify(texts)));
  files.set("licences.txt", Buffer.from(await licences(metafile)));
  return files;
}

/** What the bundled packages ask to be handed on with them. */
async function licences({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const bundled = [...new Set(folders)].filter(Boolean).sort();
  const texts = bundled.map((folder) => readFile(`${here}${folder}/LICENSE`, "utf8"));
  return (await Promise.all(texts))
    .map((text, index) => `${bundled[index].slice("node_modules/".length)}\n\n${text}`)
    .join("\n\n");
}

async function write(files) {
  await rm(`${here}built`, { recursive: true, force: true });
  await mkdir(`${here}built`);
  for (const [name, contents] of files) await writeFile(`${here}built/${name}`, contents);
}

/** The names of files that are missing, others, or too many. */
async function outdated(files) {
  const names = await readdir(`${here}built`).catch(() => []);
  const built = new Map(await Promise.all(names.map(async (name) => [name, await readFile(`${here}built/${name}`)])));
  const other = [...files].filter(([name, contents]) => !built.get(name)?.equals(contents)).map(([name]) => name);
  return [...other, ...names.filter((name) => !files.has(name))];
}

function report(files) {
  const sizes = [...files].map(([name, contents]) => [name, gzipSync(contents, { level: 9 }).length]);
  const sum = sizes.reduce((before, [name, size]) => before + (ALONE.has(name) || LATER.test(name) ? 0 : size), 0);
  for (const [name, size] of [...sizes, ["the page", sum]])
    console.log(`${name.padEnd(12)} ${(size / 1024).toFixed(1)} KiB gzipped`);
  if (sum > MOST_BYTES) throw new Error(`the bundle is larger than ${MOST_BYTES / 1024} KiB: leave something out`);
}

async function buildTests() {
  const tests = `${here}../tests/web/`;
  const names = (await readdir(tests)).filter((name) => name.endsWith(".test.ts"));
  await rm(`${here}../build/web-tests`, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: names.map((name) => tests + name),
    outdir: "../build/web-tests",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    // packages of Node's older kind require its modules
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    sourcemap: "inline",
  });
}

/** The extension, with the CodeMirror of whoever uses it; types follow. */
async function buildPackage() {
  await rm(`${here}dist`, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: [{ in: "source/extension/index.ts", out: "extension" }],
    outdir: "dist",
    external: ["@codemirror/*"],
    target: BROWSERS,
  });
  await copyFile(`${here}../LICENSE`, `${here}LICENSE`);
}

async function buildBareEditor() {
  await build({
    ...common,
    entryPoints: [{ in: "../tests/web/bare_editor.ts", out: "page" }],
    outdir: "../build/bare-editor",
    minify: true,
  });
}

/** For VS Code, which has the module `vscode` itself. */
async function buildForVSCode() {
  await build({
    ...common,
    entryPoints: ["vscode/extension.ts"],
    outdir: "vscode/built",
    format: "cjs",
    platform: "node",
    target: "node20",
    external: ["vscode"],
    minify: true,
  });
}

if (process.argv.includes("--tests")) await buildTests();
else if (process.argv.includes("--bare")) await buildBareEditor();
else if (process.argv.includes("--vscode")) await buildForVSCode();
else if (process.argv.includes("--package")) await buildPackage();
else {
  const files = await pageFiles();
  const stale = process.argv.includes("--check") ? await outdated(files) : [];
  if (stale.length) {
    console.error(`web/built is not current (${stale.join(", ")}): run "npm run build" in web and commit the result`);
    process.exit(1);
  }
  if (!process.argv.includes("--check")) await write(files);
  report(files);
}
