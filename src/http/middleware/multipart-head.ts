/** The beginning of a multipart/form-data body: its fields, up to the first byte of its file. */
import { parse } from 'content-disposition';
import { fault, fieldFault } from '../../kernel/faults.ts';
import { readMimeType } from '../../kernel/mime-type.ts';

const lineEnd = '\r\n';
/** Fields and heads of parts, in bytes. */
const headLimit = 64 * 1024;
const maxFields = 100;

/** How the file's own part describes it; null: not at all. */
export interface FileHead {
  field: string;
  filename: string | null;
  mimeType: string | null;
}

interface FormHead {
  fields: URLSearchParams;
  /** null: the form ends without a file. */
  file: FileHead | null;
  /** Number of bytes before the file. */
  offset: number;
  /** What has been read behind them. */
  rest: Buffer;
}

/** The boundary in a Content-Type. Throws Fault 415. */
export function boundaryIn(contentType: string | undefined): string {
  const type = readMimeType(contentType ?? '');
  const boundary = type?.params.get('boundary') ?? '';
  if (type?.essence === 'multipart/form-data' && /^[\w'()+,./:=?-]{1,70}$/.test(boundary)) return boundary;
  throw fault('unsupported_body', { why: 'Content-Type must be multipart/form-data with its boundary' });
}

export function malformed(): Error {
  return fieldFault(['body'], 'The form is not readable as multipart/form-data');
}

/** `next`: the next piece of the body; null: it is complete. Throws Fault 422 and 413, and what `next` throws. */
export async function readHead(next: () => Promise<Buffer | null>, boundary: string): Promise<FormHead> {
  const mark = `${lineEnd}--${boundary}`;
  const fields = new URLSearchParams();
  // A delimiter begins with a line break, except for one at the start of the body, which may also have a preamble: .NET programs write one.
  let seen = Buffer.from(lineEnd);
  const find = async (what: string, from: number): Promise<number> => {
    for (;;) {
      const at = seen.indexOf(what, from, 'latin1');
      if (at >= 0) return at;
      if (seen.length > headLimit) throw fault('body_too_large');
      const piece = await next();
      if (piece === null) throw malformed();
      seen = Buffer.concat([seen, piece]);
    }
  };
  let at = (await find(mark, 0)) + mark.length;
  for (let parts = 0; parts <= maxFields; parts += 1) {
    const line = await find(lineEnd, at).catch((thrown: unknown) => {
      // The last line may lack its end.
      if (seen.toString('latin1', at) === '--') return at + 2;
      throw thrown;
    });
    if (seen.toString('latin1', at, line) === '--')
      return { fields, file: null, offset: line - lineEnd.length, rest: Buffer.alloc(0) };
    if (line !== at) throw malformed();
    const gap = await find(lineEnd + lineEnd, line);
    const part = readPart(seen.toString('latin1', line + 2, gap));
    at = gap + 4;
    if (part.filename !== null)
      return { fields, file: part, offset: at - lineEnd.length, rest: seen.subarray(at) };
    // A path, or a library's word for an object, where the bytes were meant: upstream would get it as the file.
    if (part.field === 'file') throw fieldFault(['body', 'file'], 'Must be a file part, with a filename');
    const end = await find(mark, at);
    fields.append(part.field, decode(seen.subarray(at, end)));
    at = end + mark.length;
  }
  throw fault('body_too_large');
}

/** The head of a part; its bytes are UTF-8, read as one character each. */
function readPart(head: string): FileHead {
  const lines = head.split(lineEnd);
  const disposition = valueOf(lines, 'content-disposition');
  const { type, parameters } = disposition === null ? { type: '', parameters: {} } : parse(disposition);
  const { name, filename } = parameters;
  if (type.toLowerCase() !== 'form-data' || name === undefined) throw malformed();
  if (filename !== undefined && !asTheyAre.test(valueOf(lines, 'content-transfer-encoding') ?? 'binary'))
    throw encodedFile();
  const mimeType = readMimeType(valueOf(lines, 'content-type') ?? '');
  return {
    field: decode(Buffer.from(name, 'latin1')),
    filename: filename === undefined ? null : 'filename*' in parameters ? filename : nameIn(filename),
    mimeType: mimeType === null ? null : String(mimeType),
  };
}

/** What does not say that the bytes of a part were encoded (RFC 2045, 6.2). */
const asTheyAre = /^(?:7bit|8bit|binary)$/i;

/** Decoded, its size would be known only at its end, and upstream must be told it before. As it is, the person would get the code. [faults: 551] */
function encodedFile(): Error {
  return fieldFault(['body', 'file'], 'The file must be sent as it is, without a Content-Transfer-Encoding');
}

function valueOf(lines: readonly string[], header: string): string | null {
  const line = lines.find((each) => each.toLowerCase().startsWith(`${header}:`));
  return line?.slice(header.length + 1).trim() ?? null;
}

/** A name of which everything else is percent-encoded (RFC 7578, 2), as aiohttp writes it. */
const encodedName = /^(?:[\w.~-]|%[\dA-F]{2})+$/;

/** Browsers write three characters as `%22`, `%0D` and `%0A`. [faults: 542] */
function nameIn(text: string): string {
  const name = decode(Buffer.from(text, 'latin1'), badName);
  return decodedName(name) ?? name.replaceAll(/%22|%0D|%0A/gi, (code) => (code === '%22' ? '"' : ' '));
}

/** null: it is not encoded as a whole. */
function decodedName(name: string): string | null {
  if (!encodedName.test(name)) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return null; // its only failure is bytes that are no UTF-8
  }
}

function badName(): Error {
  return fieldFault(['body', 'file'], 'The filename must be in UTF-8');
}

function decode(bytes: Uint8Array, problem: () => Error = malformed): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw problem(); // the decoder's only failure is bytes that are no UTF-8
  }
}
