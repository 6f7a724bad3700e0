// Starts a thread from its TypeScript source (tsx, jest): loaders do not apply to worker threads by themselves, and a test run has compiled
// the sources already. The built program starts its modules directly and does not contain this file.
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
