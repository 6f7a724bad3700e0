/**
 * What browsers load: each client file with all that it imports, and each style sheet with its parts, as one file in
 * `dist/src/pages/client`. `--watch` builds again when a source changes. `npm run types` checks the types.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { context } from 'esbuild';

const pages = join(import.meta.dirname, '../src/pages');
const outdir = join(import.meta.dirname, '../dist/src/pages/client');
const scripts = ['page', 'watch', 'template', 'docs'].map((name) => join(pages, 'client', `${name}.ts`));
const styles = ['portal', 'docs'].map((name) => join(pages, 'styles', `${name}.css`));

const building = await context({
  entryPoints: [...scripts, ...styles],
  outdir,
  entryNames: '[name]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  // Styles are written for browsers that have `light-dark()`: lowering it would double them.
  supported: { nesting: true },
  legalComments: 'inline',
  logLevel: 'warning',
});
await building.rebuild();
removeOthers();
if (process.argv.includes('--watch')) await building.watch();
else await building.dispose();

/** What earlier builds have left; a service that runs from the sources may be reading ours. */
function removeOthers() {
  const ours = new Set([...scripts, ...styles].map((source) => basename(source).replace(/\.ts$/, '.js')));
  for (const name of readdirSync(outdir)) if (!ours.has(name)) rmSync(join(outdir, name), { force: true });
}
