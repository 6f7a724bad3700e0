/**
 * What pages load, compressed once for all requests: `PACKED/<digest of the file>.br` and `.gz`. A name by content is never stale, and
 * one that is there is not made again. Run by `npm run build`; without it files go out as they are.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const portal = join(root, 'dist/src/pages');
const packed = join(portal, 'packed');
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const inFolder = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const files = [
  ...['.js', '.css'].flatMap((ending) => inFolder(join(portal, 'client'), ending)),
  ...['swagger-ui-bundle.js', 'swagger-ui.css'].map((name) => join(viewer, name)),
];

mkdirSync(packed, { recursive: true });
for (const file of files) {
  const bytes = readFileSync(file);
  const at = join(packed, createHash('sha256').update(bytes).digest('hex'));
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  if (!existsSync(`${at}.br`)) writeFileSync(`${at}.br`, brotliCompressSync(bytes, { params }));
  if (!existsSync(`${at}.gz`)) writeFileSync(`${at}.gz`, gzipSync(bytes, { level: 9 }));
}
