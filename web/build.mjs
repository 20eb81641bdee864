/**
 * Bundles the page into web/built, with --tests the tests into build/web-tests, with --bare a page that is nothing
 * but an editor into build/bare-editor, with --package what the npm package has into web/dist, with
 * --vscode the extension into vscode/built; --check says whether web/built is current.
 */

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { filledPage, readTexts, textFiles, textsOfTrees, textsPlugin } from "./texts.mjs";

const here = new URL(".", import.meta.url).pathname;
const BROWSERS = ["chrome111", "firefox113", "safari16.4"];
const MOST_BYTES = 200 * 1024; // gzipped, all that the page loads before a part of it is opened

const common = {
  bundle: true,
  format: "esm",
  absWorkingDir: here,
  nodePaths: [`${here}node_modules`],
  tsconfigRaw: {},
  logLevel: "warning",
  plugins: [textsPlugin(here)],
};

const minified = {
  ...common,
  outdir: "built",
  minify: true,
  charset: "utf8",
  legalComments: "eof",
  target: BROWSERS,
  write: false,
  metafile: true,
};

async function pageFiles() {
  const [page, others] = await Promise.all([pageScripts(), singleFiles()]);
  const files = new Map(
    [...page.outputFiles, ...others.outputFiles].map((file) => [nameOf(file.path), contentsOf(file)]),
  );
  const template = await readFile(`${here}source/page/index.html`, "utf8");
  const html = withPreloads(filledPage(template, await readTexts(here)), sharedScripts(page.metafile));
  files.set("index.html", Buffer.from(html));
  files.set("icon.svg", await readFile(`${here}source/page/icon.svg`));
  for (const [name, contents] of await textFiles(here)) files.set(name, contents);
  const inputs = { ...page.metafile.inputs, ...others.metafile.inputs };
  files.set("licences.txt", Buffer.from(await licences({ inputs })));
  return files;
}

/** The page's own script, and those of parts that are loaded when they are first opened. */
function pageScripts() {
  return build({
    ...minified,
    entryPoints: [{ in: "source/page/page.ts", out: "page" }],
    splitting: true,
    // a page that is older than its server asks for scripts that are gone, and not for others under the same names
    chunkNames: "[name]-[hash]",
  });
}

/** The style of the page, and scripts for other pages, each of which stands alone. */
function singleFiles() {
  return build({
    ...minified,
    entryPoints: [
      { in: "source/page/page.css", out: "page" },
      { in: "source/client/index.ts", out: "client" },
      { in: "source/tree/index.ts", out: "dep-tree" },
      { in: "source/notebook/index.ts", out: "notebook" },
    ],
  });
}

function nameOf(path) {
  return path.split("/").at(-1);
}

function contentsOf({ contents }) {
  return Buffer.from(contents);
}

/** The scripts that page.js cannot begin without. */
function sharedScripts({ outputs }) {
  const found = new Set(["built/page.js"]);
  for (const path of found)
    for (const { path: imported, kind } of outputs[path].imports) if (kind === "import-statement") found.add(imported);
  return [...found].map(nameOf).filter((name) => name !== "page.js");
}

/** The browser fetches them beside page.js, and not after it. */
function withPreloads(html, names) {
  const links = names.map((name) => `<link rel="modulepreload" href="${name}" />\n    `);
  return html.replace('<script type="module"', `${links.join("")}$&`);
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
  const sizes = new Map([...files].map(([name, contents]) => [name, gzipSync(contents, { level: 9 }).length]));
  const sum = loadedFirst(files).reduce((before, name) => before + sizes.get(name), 0);
  for (const [name, size] of [...sizes, ["the page", sum]])
    console.log(`${name.padEnd(12)} ${(size / 1024).toFixed(1)} KiB gzipped`);
  if (sum > MOST_BYTES) throw new Error(`the page is larger than ${MOST_BYTES / 1024} KiB: load something later`);
}

/** index.html, and all that it names. */
function loadedFirst(files) {
  const named = String(files.get("index.html")).matchAll(/(?:src|href)="([\w.-]+)"/g);
  return ["index.html", ...new Set([...named].map(([, name]) => name))];
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

/** Each part by itself, the extension with the CodeMirror of whoever uses it; types follow. */
async function buildPackage() {
  await rm(`${here}dist`, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: [
      { in: "source/client/index.ts", out: "client" },
      { in: "source/tree/index.ts", out: "dep-tree" },
      { in: "source/extension/index.ts", out: "extension" },
    ],
    outdir: "dist",
    external: ["@codemirror/*"],
    minify: true,
    charset: "utf8",
    target: BROWSERS,
    sourcemap: true,
  });
  for (const [name, contents] of textsOfTrees(await readTexts(here))) await writeFile(`${here}dist/${name}`, contents);
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
