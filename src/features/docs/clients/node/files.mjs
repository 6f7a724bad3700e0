import { openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Types of the files that are sent most; `mime_type` and the type of a File say others. */
const types = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
};

/** A File of what may be given for one, its name empty if none is known: what has no name is not shown under another one. */
export async function readFile(given) {
  if (given instanceof File) return given;
  if (Array.isArray(given) && typeof given[0] === 'string' && given.length <= 3)
    return fileOf(given[0], await contentOf(given[1]), given[2]);
  if (typeof given === 'string' || given instanceof URL) {
    const path = given instanceof URL ? fileURLToPath(given) : given;
    // What it throws names the path.
    await access(path);
    return fileOf(basename(path), await openAsBlob(path));
  }
  const name = typeof given?.path === 'string' ? basename(given.path) : '';
  return fileOf(name, await contentOf(given));
}

function fileOf(name, content, type = typeIn(content) || (types[extname(name).toLowerCase()] ?? '')) {
  return new File([content], name, { type });
}

const typeIn = (content) => (content instanceof Blob ? content.type : '');

/** Bytes, or a stream or open file, read whole, so that the call can be tried again. */
async function contentOf(given) {
  if (given instanceof Blob || given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return given;
  if (typeof given?.readFile === 'function') return given.readFile();
  if (typeof given !== 'object' || given?.[Symbol.asyncIterator] === undefined) throw notAFile(given);
  const pieces = [];
  for await (const piece of given) {
    if (!ArrayBuffer.isView(piece)) throw notAFile(piece);
    pieces.push(piece);
  }
  return new Blob(pieces);
}

function notAFile(given) {
  const what = given === null ? 'null' : (given?.constructor?.name ?? typeof given);
  return new TypeError(
    `A file must be a path, bytes, a Blob, or a stream or open file of bytes, not ${what}`,
  );
}
