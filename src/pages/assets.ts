/**
 * Files that pages load: scripts and styles as `npm run build:client` wrote them, precompressed by `npm run build`. They are few and small, so
 * all are read at the first page and stay in memory. Their URL contains a digest of all of them, so that a browser can cache them for ever
 * and never mixes two versions.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fault } from '../kernel/faults.ts';
import { sendAsset } from '../http/answers.ts';
import type { Packings } from '../http/answers.ts';
import { openRoute } from '../http/route.ts';
import { markAsFile } from './icon.tsx';

const here = import.meta.dirname;
/** From the sources, the client files of the last build are used. */
const clientFolder = import.meta.filename.endsWith('.ts')
  ? join(here, '../../dist/src/pages/client')
  : join(here, 'client');
const packedFolder = join(clientFolder, '../packed');

const svgType = 'image/svg+xml';
const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

interface Asset extends Packings {
  contentType: string;
  digest: string;
}

interface Stock {
  assets: ReadonlyMap<string, Asset>;
  version: string;
}

/** Too small to be worth compressing. */
const mark: Asset = {
  contentType: svgType,
  digest: createHash('sha256').update(markAsFile).digest('hex'),
  plain: Buffer.from(markAsFile),
  br: null,
  gzip: null,
};

let read: Stock | null = null;

function stock(): Stock {
  if (read !== null) return read;
  const assets = new Map([
    ...listFiles(clientFolder, 'js'),
    ...listFiles(clientFolder, 'css'),
    ...viewerFiles(),
    ['mark.svg', mark] as const,
  ]);
  read = { assets, version: digestFiles(assets) };
  return read;
}

/** Throws if the file does not exist, because the page would be broken. */
export function assetUrl(name: string): string {
  const { assets, version } = stock();
  if (!assets.has(name)) throw new Error(`${name} is not among the built client files: npm run build:client`);
  return `/assets/${version}/${name}`;
}

export const assetRoute = openRoute({
  listener: 'every',
  get: '/assets/{version}/{file}',
  name: 'asset',
  failures: 'json',
  open: (request, response) => {
    const { version: asked, file } = request.params;
    const { assets, version } = stock();
    const asset = typeof file === 'string' ? assets.get(file) : undefined;
    if (asset === undefined) throw fault('unknown_path');
    // A page of another version, from a node before or after its upgrade: our file may do, but must not be cached under that URL.
    sendAsset(response, asset.contentType, asset, asked === version ? 'for ever' : 'not at all');
  },
});

/** Browsers request it beside anything that is not a page: JSON, files. Its URL has no version. */
export const faviconRoute = openRoute({
  listener: 'every',
  get: '/favicon.ico',
  name: 'favicon',
  failures: 'json',
  open: (_request, response) => sendAsset(response, mark.contentType, mark, 'a day'),
});

function listFiles(folder: string, ending: string): [string, Asset][] {
  const names = namesIn(folder).filter((name) => name.endsWith(`.${ending}`));
  return names.map((name) => [name, assetIn(folder, name)]);
}

/** The OpenAPI viewer's files, from its package. */
function viewerFiles(): [string, Asset][] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return ['swagger-ui-bundle.js', 'swagger-ui.css'].map((name) => [name, assetIn(folder, name)]);
}

function assetIn(folder: string, name: string): Asset {
  const contentType = contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const plain = readFileSync(join(folder, name));
  const digest = createHash('sha256').update(plain).digest('hex');
  return { contentType, digest, plain, br: packed(`${digest}.br`), gzip: packed(`${digest}.gz`) };
}

/** A file compressed by `config/pack.mjs`; null without a build. */
function packed(name: string): Buffer | null {
  const path = join(packedFolder, name);
  return existsSync(path) ? readFileSync(path) : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // not built: `assetUrl` will throw
  }
}

function digestFiles(files: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const [name, { digest }] of files) hash.update(name).update('\0').update(digest).update('\0');
  return hash.digest('hex').slice(0, 16);
}
