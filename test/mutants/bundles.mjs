/** Bundles each test file of the sandbox with its sources into one CommonJS file, which a process can run repeatedly. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** `import.meta` of a module refers to its source file. */
const ownPlace = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /(actors|src|test)\/.*\.tsx?$/ }, ({ path }) => {
      const place = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const text = readFileSync(path, 'utf8');
      const contents = text.replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name) =>
        JSON.stringify(place[name]),
      );
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

export const bundleOf = (folder, file) => join(folder, 'bundles', file.replace(/\.ts$/, '.cjs'));

export async function bundle(folder, files) {
  await build({
    absWorkingDir: folder,
    entryPoints: files,
    outdir: 'bundles',
    outbase: '.',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
    plugins: [ownPlace],
  });
}
