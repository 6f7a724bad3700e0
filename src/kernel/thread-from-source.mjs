// Starts a thread from its TypeScript source (tsx, jest): loaders do not reach into worker threads by themselves, and a run of tests
// has the sources compiled already. The built program starts its modules directly; this file is not part of it.
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [, , source] = process.argv;
const { TRUNKLINE_DIST: compiled } = process.env;

if (compiled === undefined) {
  const { tsImport } = await import('tsx/esm/api');
  await tsImport(source, import.meta.url);
} else {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const built = relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js');
  await import(pathToFileURL(join(compiled, built)).href);
}
