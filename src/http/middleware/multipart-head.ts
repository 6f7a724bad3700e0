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
  const mark = `--${boundary}`;
  const fields = new URLSearchParams();
  let seen = Buffer.alloc(0);
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
  if ((await find(mark, 0)) !== 0) throw malformed();
  let at = mark.length;
  for (let parts = 0; parts <= maxFields; parts += 1) {
    const line = await find(lineEnd, at).catch((thrown: unknown) => {
      // The last line may lack its end.
      if (seen.toString('latin1', at) === '--') return at + 2;
      throw thrown;
    });
    if (seen.toString('latin1', at, line) === '--')
      return { fields, file: null, offset: line, rest: Buffer.alloc(0) };
    if (line !== at) throw malformed();
    const gap = await find(lineEnd + lineEnd, line);
    const part = readPart(seen.toString('latin1', line + 2, gap));
    at = gap + 4;
    if (part.filename !== null) return { fields, file: part, offset: at, rest: seen.subarray(at) };
    // A path, or a library's word for an object, where the bytes were meant: upstream would get it as the file.
    if (part.field === 'file') throw fieldFault(['body', 'file'], 'Must be a file part, with a filename');
    const end = await find(lineEnd + mark, at);
    fields.append(part.field, decode(seen.subarray(at, end)));
    at = end + lineEnd.length + mark.length;
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
  const mimeType = readMimeType(valueOf(lines, 'content-type') ?? '');
  return {
    field: decode(Buffer.from(name, 'latin1')),
    filename: filename === undefined ? null : 'filename*' in parameters ? filename : nameIn(filename),
    mimeType: mimeType === null ? null : String(mimeType),
  };
}

function valueOf(lines: readonly string[], header: string): string | null {
  const line = lines.find((each) => each.toLowerCase().startsWith(`${header}:`));
  return line?.slice(header.length + 1).trim() ?? null;
}

/** Browsers write three characters as `%22`, `%0D` and `%0A`. */
function nameIn(text: string): string {
  const name = decode(Buffer.from(text, 'latin1'));
  return name.replaceAll(/%22|%0D|%0A/gi, (code) => (code === '%22' ? '"' : ' '));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed(); // the decoder's only failure is bytes that are no UTF-8
  }
}
