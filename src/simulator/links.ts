import { request } from 'undici';
import type { Kind } from './model.ts';
import type { World } from './world.ts';

/** Why upstream cannot use a media link. */
export type LinkProblem = {
  readonly reason: 'unreachable' | 'wrong_type' | 'too_big' | 'corrupt';
  readonly details: string;
};

const megabyte = 1_048_576;
const maxRedirects = 3;

/** Largest files in megabytes [upstream protocol 5.4]; the limit for `file` is under `document`. */
const limits: Readonly<Record<Kind, Readonly<Record<string, number>>>> = {
  chatapp: { image: 5, audio: 16, video: 16, document: 100, sticker: 0.5 },
  pagechat: { image: 25, audio: 25, video: 25, document: 25 },
  photoapp: { image: 8, audio: 25, video: 25, document: 25 },
};

/** MIME types that each kind accepts [upstream protocol 5.4]; a media type without an entry accepts any. */
const takenTypes: Readonly<Record<Kind, Readonly<Record<string, RegExp>>>> = {
  chatapp: {
    image: /^image\/(jpeg|png)$/,
    audio: /^audio\/(aac|amr|mpeg|mp4|ogg)$/,
    video: /^video\/(mp4|3gpp)$/,
    sticker: /^image\/webp$/,
  },
  pagechat: {
    image: /^image\/(jpeg|png|gif|webp)$/,
    audio: /^(audio\/|video\/mp4$|application\/ogg$)/,
    video: /^video\//,
  },
  photoapp: {
    image: /^image\/(jpeg|png|gif)$/,
    audio: /^(audio\/(aac|x-m4a|m4a|mp4|wav|x-wav|wave)|video\/mp4)$/,
    video: /^video\/(mp4|ogg|x-msvideo|avi|quicktime|webm)$/,
    document: /^application\/pdf$/,
  },
};

const typeByExtension: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp', mp4: 'video/mp4', '3gp': 'video/3gpp',
  mov: 'video/quicktime', webm: 'video/webm', avi: 'video/x-msvideo', mp3: 'audio/mpeg', ogg: 'audio/ogg', m4a: 'audio/mp4',
  aac: 'audio/aac', amr: 'audio/amr', wav: 'audio/wav', pdf: 'application/pdf', txt: 'text/plain',
}; // oxfmt-ignore

/** MIME type for a path's extension, else plain binary. */
function mimeOfPath(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return typeByExtension[extension] ?? 'application/octet-stream';
}

/**
 * Fetches the link as upstream would and checks status, type and size [upstream protocol 9.6]; null: no problem. Hosts under `.example`
 * cannot exist, so their outcome depends on the path instead.
 */
export async function checkLink(
  world: World,
  kind: Kind,
  type: string,
  url: string,
): Promise<LinkProblem | null> {
  if (!world.settings.fetch_links) return null;
  const { hostname, pathname } = new URL(url);
  if (hostname.endsWith('.example')) return playLink(kind, type, pathname);
  try {
    return await fetchLink(world, kind, type, url, maxRedirects);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    // [upstream protocol 3.6] On pages a video that takes too long has its own subcode.
    const reason = type === 'video' && /timeout/i.test(why) ? 'corrupt' : 'unreachable';
    return { reason, details: `Downloading media from weblink failed: ${why}` };
  }
}

function playLink(kind: Kind, type: string, path: string): LinkProblem | null {
  if (path.includes('corrupt')) return { reason: 'corrupt', details: `Media file ${path} cannot be read` };
  const size = path.includes('huge') ? Infinity : 1;
  return judge(kind, type, path.includes('missing') ? 404 : 200, mimeOfPath(path), size);
}

async function fetchLink(
  world: World,
  kind: Kind,
  type: string,
  url: string,
  redirects: number,
): Promise<LinkProblem | null> {
  const { link_timeout_ms: timeoutMs } = world.settings;
  const answer = await request(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const { location } = answer.headers;
  if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string' && redirects > 0) {
    await answer.body.dump();
    return fetchLink(world, kind, type, new URL(location, url).toString(), redirects - 1);
  }
  const mime = String(answer.headers['content-type'] ?? '');
  if (answer.statusCode !== 200) await answer.body.dump();
  const size = answer.statusCode === 200 ? await sizeOf(answer.body, limitOf(kind, type)) : 0;
  return judge(kind, type, answer.statusCode, mime, size);
}

function limitOf(kind: Kind, type: string): number {
  return (limits[kind][type === 'file' ? 'document' : type] ?? 100) * megabyte;
}

/** Size of the body, counted only until it exceeds the limit. */
async function sizeOf(body: AsyncIterable<Buffer>, limit: number): Promise<number> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) break;
  }
  return size;
}

/** As of a link, for a file that a client uploads. */
export function checkUpload(kind: Kind, type: string, mime: string, size: number): LinkProblem | null {
  return judge(kind, type, 200, mime, size);
}

function judge(kind: Kind, type: string, status: number, mime: string, size: number): LinkProblem | null {
  if (status !== 200) {
    return {
      reason: 'unreachable',
      details: `Downloading media from weblink failed with http code ${status}`,
    };
  }
  if (size > limitOf(kind, type)) return { reason: 'too_big', details: 'Media file size too big' };
  const taken = takenTypes[kind][type === 'file' ? 'document' : type];
  const bare = mime.replace(/;.*$/s, '').trim().toLowerCase();
  if (!taken || taken.test(bare)) return null;
  const words = kind === 'chatapp' ? takenWords[type] : undefined;
  const named = `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;
  const advice = words === undefined ? '' : `. Please use one of ${words}.`;
  return { reason: 'wrong_type', details: `Unsupported ${named} mime type ${mime}${advice}` };
}

/** As a number's refusal lists them. */
const takenWords: Readonly<Record<string, string>> = {
  audio: 'audio/ogg; codecs=opus, audio/mpeg, audio/amr, audio/mp4, audio/aac',
  image: 'image/jpeg, image/png',
  video: 'video/3gpp, video/mp4',
};

/** The type that a number gives an upload: the stated one, unless its name ends as one of another type. */
export function typeByName(mimeType: string, filename: string): string {
  const named = mimeOfPath(filename);
  const [stated = ''] = mimeType.split(';');
  const isOther = named !== 'application/octet-stream' && sortOf(named) !== sortOf(stated);
  return isOther ? 'application/octet-stream' : mimeType;
}

/** An MP4 may be a recording or a film. */
function sortOf(mimeType: string): string {
  const bare = mimeType.trim().toLowerCase();
  return bare === 'audio/mp4' ? 'video/mp4' : bare;
}
