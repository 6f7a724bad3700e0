/**
 * Writes each source of the product as a CommonJS file of its own, which `loader.js` runs, and `packages.json`: the packages that a source
 * imports, itself or through others. `import.meta` refers to the source. A program, which awaits while it is loaded, has no such file:
 * jest transforms it like a test.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { compiledName, folders, isSource } from './places.js';

const place = (path) => ({ url: pathToFileURL(path).href, dirname: dirname(path), filename: path });

/** esbuild leaves `import.meta` empty in CommonJS, and `import()` to Node, which knows nothing of jest's modules. */
const ownPlace = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
        .replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name) =>
          JSON.stringify(place(path)[name]),
        )
        .replaceAll(/(?<![.\w])import\(/g, 'importLater(');
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

export async function compileSources(root, outdir) {
  const names = folders.flatMap((folder) => sourcesIn(root, folder));
  await build({
    absWorkingDir: root,
    entryPoints: names,
    outdir,
    outbase: '.',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'linked',
    logLevel: 'error',
    plugins: [ownPlace],
  });
  const imports = new Map(names.map((name) => [name, importsOf(outdir, name)]));
  const packages = Object.fromEntries(names.map((name) => [name, packagesOf(name, imports)]));
  writeFileSync(join(outdir, 'packages.json'), JSON.stringify(packages));
}

function sourcesIn(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => isSource(name, () => readFileSync(join(root, name), 'utf8')));
}

function importsOf(outdir, name) {
  const text = readFileSync(join(outdir, compiledName(name)), 'utf8');
  return [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, wanted]) =>
    wanted.startsWith('.') ? join(dirname(name), wanted) : wanted,
  );
}

function packagesOf(name, imports) {
  const reached = new Set([name]);
  for (const one of reached) for (const wanted of imports.get(one) ?? []) reached.add(wanted);
  return [...reached].filter((one) => !imports.has(one) && !isBuiltin(one));
}
