/**
 * Forms with a file that is not read into memory: its bytes pass to whoever asks for them. The fields come first and the file is the last part, so
 * that a request is checked before its file arrives, and the file's size is known by then. [faults: 384, 385, 386]
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { BodyPieces } from './body-pieces.ts';
import type { FileSlots } from './file-slots.ts';
import { boundaryIn, malformed, readHead } from './multipart-head.ts';
import type { FileHead } from './multipart-head.ts';

/** Concurrent uploads; each holds some hundred KiB in memory. [faults: 384] */
export const ofUploads = { own: 4, inAll: 32 };
/** The largest file of any kind, and what is around it. */
const formLimit =
  Math.max(...channelTypes.flatMap((type) => Object.values(kindOf(type).uploadLimits))) + 128 * 1024;

/** What may follow the closing boundary of a form: form-data-encoder, which got uses, writes two line breaks. [faults: 542] */
const endings = ['', '\r\n', '\r\n\r\n'];
export const unknownBytes = Math.max(...endings.map(({ length }) => length));

/** A file that is arriving. */
export interface ArrivingFile extends FileHead {
  /** Bytes that it has at most, and at least `unknownBytes` fewer: how its form ends shows only at the end. */
  most: number;
  /** Within which it arrives, ms, or reading it fails. */
  timeoutMs: number;
  /** Its bytes, to be read once. Throws ClientGone, Fault 408 `too_slow`, 413 and 422. */
  content: AsyncIterable<Buffer>;
}

type FormParts = Pick<FileForm, 'fields' | 'file'>;

export class FileForm {
  readonly fields: URLSearchParams;
  /** null: the form has none. */
  readonly file: ArrivingFile | null;
  /** To be called when the request is answered, or will be. */
  readonly end: () => void;

  constructor({ fields, file }: FormParts, end: () => void) {
    this.fields = fields;
    this.file = file;
    this.end = end;
  }
}

interface Reading {
  uploadSlots: FileSlots;
  clock: Clock;
  /** Called when the file has arrived, which may take minutes: throws unless its sender may still send it. [faults: 175] */
  stillMay?: (() => Promise<unknown>) | undefined;
}

/** Throws Fault 408, 411, 413, 415, 422, and 503 while too many files arrive; ClientGone. */
export async function openFileForm(
  request: IncomingMessage,
  accountId: string,
  { uploadSlots, clock, stillMay }: Reading,
): Promise<FileForm> {
  const { 'content-type': type, 'content-length': announced } = request.headers;
  const boundary = boundaryIn(type);
  if (announced === undefined) throw fault('length_required');
  const length = Number(announced);
  if (length > formLimit) throw fault('body_too_large');
  const free = uploadSlots.take(accountId);
  if (free === null) throw fault('overloaded');
  const pieces = new BodyPieces(request, length, clock);
  const end = (): void => {
    pieces.end();
    free();
  };
  try {
    return new FileForm(await readForm(pieces, { boundary, length, stillMay }), end);
  } catch (thrown) {
    end();
    throw thrown;
  }
}

async function readForm(
  pieces: BodyPieces,
  { boundary, length, stillMay }: Pick<Reading, 'stillMay'> & { boundary: string; length: number },
): Promise<FormParts> {
  const { fields, file, offset, rest } = await readHead(() => pieces.next(), boundary);
  pieces.beginFile();
  if (file === null) return { fields, file };
  const closing = Buffer.from(`\r\n--${boundary}--`);
  const most = length - offset - closing.length;
  if (most < 0) throw malformed();
  // A browser's empty field.
  if (file.filename === '' && most <= unknownBytes) return { fields, file: null };
  const content = contentOf(pieces, { first: rest, most, closing, stillMay });
  return { fields, file: { ...file, most, timeoutMs: pieces.timeoutMs, content } };
}

interface Body extends Pick<Reading, 'stillMay'> {
  /** What has been read of it. */
  first: Buffer;
  most: number;
  closing: Buffer;
}

async function* contentOf(
  pieces: BodyPieces,
  { first, most, closing, stillMay }: Body,
): AsyncGenerator<Buffer> {
  /** Bytes that belong to the file however the form ends. */
  let sure = Math.max(0, most - unknownBytes);
  const delimiter = closing.subarray(0, -2);
  const end: Buffer[] = [];
  let before: Buffer = Buffer.alloc(0);
  let size = 0;
  for (let piece: Buffer | null = first; piece !== null; piece = await pieces.next()) {
    const part = piece.subarray(0, sure);
    sure -= part.length;
    // An empty view of a piece would hold the whole of it until the file has ended.
    if (part.length < piece.length) end.push(piece.subarray(part.length));
    if (part.length === 0) continue;
    if (holds(before, part, delimiter)) throw notLast();
    before = Buffer.concat([before, part.subarray(-delimiter.length)]).subarray(-delimiter.length);
    size += part.length;
    yield part;
  }
  const last = lastBytes(Buffer.concat(end), closing);
  if (size + last.length === 0) throw fieldFault(['body', 'file'], 'The file is empty');
  if (last.length > 0) yield last;
  await stillMay?.();
}

/** Whether another part begins in `part`, or between it and the bytes before it. */
function holds(before: Buffer, part: Buffer, delimiter: Buffer): boolean {
  const between = Buffer.concat([before, part.subarray(0, delimiter.length)]);
  return between.includes(delimiter) || part.includes(delimiter);
}

/** What is left of the file before the form's end. */
function lastBytes(end: Buffer, closing: Buffer): Buffer {
  const ending = endings
    .map((each) => Buffer.concat([closing, Buffer.from(each)]))
    .find((each) => end.subarray(-each.length).equals(each));
  if (ending === undefined) throw notLast();
  return end.subarray(0, end.length - ending.length);
}

function notLast(): Error {
  return fieldFault(['body', 'file'], 'The file must be the last part of the form, and its only file');
}
