import type { ServerResponse } from 'node:http';
import { answerText } from './call.ts';
import { chunksOf, sizeOf, type MediaFault } from './media-bytes.ts';
import type { Media } from './model.ts';
import type { World } from './world.ts';

const dripPieces = 10;
const dripMs = 100;
const movedMark = '&moved=1';

/** The fault for this download, which it uses up; null: the download works. */
function takeFault(media: Media): MediaFault | null {
  if (media.fault === null || isLie(media.fault)) return media.fault;
  if (media.faultTimes === 0) return media.fault;
  if (media.faulted >= media.faultTimes) return null;
  media.faulted += 1;
  return media.fault;
}

/** These faults are in the event and the node, not in the download. */
function isLie(fault: MediaFault): boolean {
  return fault === 'wrong_sha256' || fault === 'wrong_size';
}

/** Answers a download, as the file's fault says. `again` is the URL of the request. */
export function sendFile(world: World, media: Media, res: ServerResponse, again: string): void {
  media.downloads += 1;
  const taken = takeFault(media);
  const isMoved = again.endsWith(movedMark);
  const fault = (taken === 'redirect' || taken === 'other_host') && isMoved ? null : taken;
  world.later(media.delayMs, () => {
    if (media.status !== 200) return answerText(res, media.status, 'text/plain', '');
    switch (fault) {
      case 'gone':
      case 'stray_404':
      case 'expired':
        return answerText(res, fault === 'expired' ? 403 : 404, 'text/plain', 'URL signature expired');
      case 'other_host':
        res.writeHead(302, { location: onOtherHost(again) });
        res.end();
        return;
      case 'redirect':
      case 'redirect_loop':
        res.writeHead(302, { location: fault === 'redirect' ? redirectOf(media, again) : again });
        res.end();
        return;
      case 'empty':
        begin(media, res, 0);
        res.end();
        return;
      default:
        stream(world, media, res, fault);
    }
  });
}

/** The same URL under another name of this machine. */
function onOtherHost(again: string): string {
  const url = new URL(`${again}${movedMark}`);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.href;
}

function redirectOf(media: Media, again: string): string {
  // Without a target of its own the redirect leads to the same URL, with a mark.
  return media.redirectTo ?? `${again}${movedMark}`;
}

function begin(media: Media, res: ServerResponse, size: number | null): void {
  const name =
    media.filename === null ? '' : `; filename="${media.filename.replace(/[^\x20-\x7e]|["\\]/g, '_')}"`;
  res.writeHead(200, {
    'Content-Type': media.servedType ?? media.mimeType,
    ...(size === null || media.isChunked ? {} : { 'Content-Length': size }),
    'content-disposition': `attachment${name}`,
  });
}

function stream(world: World, media: Media, res: ServerResponse, fault: MediaFault | null): void {
  const size = sizeOf(media.content);
  begin(media, res, fault === 'endless' ? null : size);
  switch (fault) {
    case 'cut':
    case 'stall':
      // The head promised the whole length; the half must be sent before the connection is destroyed.
      return pour(res, halfOf(media), () => fault === 'cut' && void setImmediate(() => res.destroy()));
    case 'endless':
      return pour(res, endless(media));
    case 'drip':
      return drip(world, media, res);
    default:
      return pour(res, chunksOf(media.content));
  }
}

/** Writes with back-pressure; `then` runs after the last chunk, unless the client has disconnected. */
function pour(res: ServerResponse, pieces: Iterator<Buffer>, then: () => void = () => res.end()): void {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return then();
    if (res.destroyed) return;
    if (res.write(value)) continue;
    res.once('drain', () => pour(res, pieces, then));
    return;
  }
}

function* endless(media: Media): Generator<Buffer> {
  for (;;) {
    yield* chunksOf(media.content);
    yield Buffer.alloc(1);
  }
}

function* halfOf(media: Media): Generator<Buffer> {
  let left = Math.floor(sizeOf(media.content) / 2);
  for (const chunk of chunksOf(media.content)) {
    if (left <= 0) return;
    yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}

/** Sends a tenth of the file at a time. */
function drip(
  world: World,
  media: Media,
  res: ServerResponse,
  pieces = chunksOf(media.content, dripPieces),
): void {
  const { done, value } = pieces.next();
  if (done === true) return void res.end();
  if (res.destroyed) return;
  res.write(value);
  world.later(dripMs, () => drip(world, media, res, pieces));
}
