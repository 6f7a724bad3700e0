/**
 * The last step of `npm run build`: what a node needs to start becomes few files instead of a thousand, which takes Node half of the
 * time to load. `dist/src/main.js` and the worker threads are replaced by bundles of themselves; everything else in `dist/` stays. The tests name
 * another folder than `dist`. The commit that was built is written beside them, for `--version`, the log and the list of nodes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const compiled = process.argv[2] ?? join(root, 'dist');
const out = join(compiled, 'src');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Loaded by every start, and plain JavaScript. The others are loaded when they are needed, or have native parts. */
const inlined = new Set([
  'ajv',
  'ajv-formats',
  'express',
  'lru-cache',
  'pino',
  'preact',
  'preact-render-to-string',
  'tldts',
]);
/** Plain JavaScript of many files: parts of their own, each read when it is needed. */
const parts = new Set(['ioredis', 'mongodb', 'redlock', 'undici']);
const external = Object.keys(dependencies).filter((name) => !inlined.has(name));
/**
 * What Express and ours ask for at once and call seldom or never (a megabyte of encodings, media types and public suffixes): a file of its
 * own, read when one of its functions is called.
 */
const calledLate = /^(body-parser|mime-types|tldts)$/;

/** A module that asks where it is (to find a script, a thread) is told where it was before it moved into a bundle of `folder`. */
const placesIn = (folder) => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const isOurs = path.startsWith(compiled + sep);
      const text = isOurs ? await readFile(path, 'utf8') : '';
      if (!text.includes('import.meta')) return null;
      const at = relative(folder, path).split(sep).join('/');
      const contents = text
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(at)}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(at)}`)})`)
        .replaceAll('import.meta.filename', `(import.meta.dirname + ${JSON.stringify(`/${at}`)})`);
      return { contents, loader: 'js' };
    });
  },
});

/** Stands for a package with the same names; only functions of plain arguments can stand for themselves. */
const late = {
  name: 'late',
  setup({ onResolve, onLoad, resolve }) {
    const files = new Map();
    onResolve({ filter: calledLate }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === late) return null;
      const found = await resolve(path, { kind, resolveDir, pluginData: late });
      if (!files.has(found.path)) files.set(found.path, `late-${path}-${files.size}.cjs`);
      return { path: found.path, namespace: late.name };
    });
    onLoad({ filter: /./, namespace: late.name }, async ({ path }) => {
      const file = files.get(path);
      await build({
        ...common,
        plugins: [],
        banner: {},
        format: 'cjs',
        entryPoints: [path],
        outfile: join(out, file),
      });
      const exported = Object.entries(createRequire(path)(path));
      const members = exported.map(([name, value]) =>
        typeof value === 'function'
          ? `${name}: (...given) => it().${name}(...given)`
          : `get ${name}() { return it().${name}; }`,
      );
      const contents = `const it = () => require('./${file}');\nmodule.exports = { ${members.join(', ')} };`;
      return { contents, loader: 'js' };
    });
    onResolve({ filter: /^\.\/late-[\w-]+\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** In a bundle of parts, esbuild gives `import()` of a CommonJS package `default` alone. Its names are added, as Node adds them. */
const named = {
  name: 'named',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[a-z]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      const isOfPart = kind === 'dynamic-import' && parts.has(path.split('/')[0]);
      if (!isOfPart || pluginData === named) return null;
      const found = await resolve(path, { kind, resolveDir, pluginData: named });
      return { path: found.path, namespace: named.name };
    });
    onLoad({ filter: /./, namespace: named.name }, ({ path }) => {
      const names = Object.keys(createRequire(path)(path)).filter((name) => name !== 'default');
      const contents = `export { ${names.join(', ')} } from ${JSON.stringify(path)};`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  plugins: [placesIn(out), late],
  // No `keepNames`: it would name every closure anew whenever it is made, on the busiest ways too.
  // A start reads a quarter less. Names stay: stack traces and profiles show them.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  allowOverwrite: true,
  logLevel: 'warning',
  // Packages that are not modules yet ask for what Node brings along.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module';\nconst require = requireFor(import.meta.url);",
  },
};

const describer = 'media/describing.js';
const parsers = new Set(['file-type', 'music-metadata']);
const threads = [
  ['app/store-writer.js', external],
  ['storage/sqlite/checkpointer.js', external],
  // Started anew for every file that a stranger makes it end for.
  [describer, external.filter((name) => !parsers.has(name))],
];
for (const [file, notInlined] of threads) {
  const outfile = join(out, file);
  const plugins = [placesIn(dirname(outfile)), late];
  await build({ ...common, plugins, external: notInlined, entryPoints: [outfile], outfile });
}
await build({
  ...common,
  external: external.filter((name) => !parts.has(name)),
  plugins: [...common.plugins, named],
  entryPoints: [join(out, 'main.js')],
  outdir: out,
  splitting: true,
  chunkNames: 'part-[name]-[hash]', // beside main.js: `places` counts on it
});

/** An image is built without the history: `--build-arg TRUNKLINE_COMMIT=…` names the commit then. */
function commitOfSources() {
  if (process.env.TRUNKLINE_COMMIT) return process.env.TRUNKLINE_COMMIT;
  if (!existsSync(join(root, '.git'))) return 'unknown';
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync(
      'git',
      ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'],
      options,
    ).trim();
  } catch {
    return 'unknown';
  }
}

writeFileSync(join(compiled, 'build.json'), JSON.stringify({ commit: commitOfSources() }));
