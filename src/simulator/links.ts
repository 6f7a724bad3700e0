import { request } from 'undici';
import type { Kind } from './model.ts';
import type { World } from './world.ts';

/** Why upstream cannot use a media link. */
export type LinkProblem = {
  readonly reason: 'unreachable' | 'wrong_type' | 'too_big' | 'corrupt';
  readonly details: string;
};

const fetchTimeoutMs = 75_000;
const megabyte = 1_048_576;

/** Largest files in megabytes [upstream protocol 5.4]; documents and files stand under `document`. */
const limits: Readonly<Record<Kind, Readonly<Record<string, number>>>> = {
  chatapp: { image: 5, audio: 16, video: 16, document: 100, sticker: 0.5 },
  pagechat: { image: 25, audio: 25, video: 25, document: 25 },
  photoapp: { image: 8, audio: 25, video: 25, document: 25 },
};

const typeByExtension: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp', mp4: 'video/mp4', '3gp': 'video/3gpp',
  mov: 'video/quicktime', mp3: 'audio/mpeg', ogg: 'audio/ogg', m4a: 'audio/mp4', aac: 'audio/aac', amr: 'audio/amr', wav: 'audio/wav',
  pdf: 'application/pdf', txt: 'text/plain',
}; // prettier-ignore

/** MIME type a path's extension stands for; a plain binary otherwise. */
export function mimeOfPath(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return typeByExtension[extension] ?? 'application/octet-stream';
}

/**
 * Fetches the link as upstream would and looks at status, type and size [upstream protocol 9.6]; null: it is good. Hosts under
 * `.example` cannot exist, so they are played by their path instead.
 */
export async function checkLink(
  world: World,
  kind: Kind,
  type: string,
  url: string,
): Promise<LinkProblem | null> {
  if (!world.settings.fetch_links) return null;
  const { hostname, pathname } = new URL(url);
  if (hostname.endsWith('.example'))
    return judge(kind, type, pathname.includes('missing') ? 404 : 200, mimeOfPath(pathname), 1);
  try {
    const answer = await request(url, { headersTimeout: fetchTimeoutMs, bodyTimeout: fetchTimeoutMs });
    const mime = String(answer.headers['content-type'] ?? '');
    const size = answer.statusCode === 200 ? await sizeOf(answer.body, limitOf(kind, type)) : 0;
    return judge(kind, type, answer.statusCode, mime, size);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    return { reason: 'unreachable', details: `Downloading media from weblink failed: ${why}` };
  }
}

function limitOf(kind: Kind, type: string): number {
  return (limits[kind][type === 'file' ? 'document' : type] ?? 100) * megabyte;
}

/** Bytes of the body, counted only until the limit is passed. */
async function sizeOf(body: AsyncIterable<Buffer>, limit: number): Promise<number> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) break;
  }
  return size;
}

function judge(kind: Kind, type: string, status: number, mime: string, size: number): LinkProblem | null {
  if (status !== 200) {
    return {
      reason: 'unreachable',
      details: `Downloading media from weblink failed with http code ${status}`,
    };
  }
  if (size > limitOf(kind, type)) return { reason: 'too_big', details: 'Media file size too big' };
  return fits(type, mime) ? null : { reason: 'wrong_type', details: `Unsupported ${type} mime type ${mime}` };
}

// [upstream protocol 5.4] Any type passes as a document; ogg and mp4 name both sound and picture.
function fits(type: string, mime: string): boolean {
  if (type === 'document' || type === 'file') return true;
  if (type === 'sticker') return mime.startsWith('image/webp');
  if (type === 'audio') return /^(audio\/|video\/mp4|application\/ogg)/.test(mime);
  return mime.startsWith(`${type}/`);
}
