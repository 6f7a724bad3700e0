import { Readable } from 'node:stream';
import { newId } from '../kernel/ids.ts';
import type { FileToUpload } from './upload-calls.ts';

/** A multipart/form-data body with one file, which is read while it is sent. */
export interface StreamedForm {
  headers: Readonly<Record<'content-type' | 'content-length', string>>;
  content: Readable;
  timeoutMs: number;
}

interface Parts {
  fields: Readonly<Record<string, string>>;
  fileField: string;
  filename: string;
  file: FileToUpload;
}

const lineEnd = '\r\n';

/** Its length is known before the file's is: what the file has less than its most follows it, where no reader of forms looks. */
export function writeForm({ fields, fileField, filename, file }: Parts): StreamedForm {
  const boundary = `trunkline-${newId()}`;
  const texts = Object.entries(fields).map(([name, text]) => part(boundary, nameOf(name), lineEnd + text));
  const type = `content-type: ${file.mimeType}${lineEnd}`;
  const named = `${nameOf(fileField)}; filename="${quotable(filename)}"`;
  const head = Buffer.from(texts.join('') + part(boundary, named, type + lineEnd, ''));
  const tail = Buffer.from(`${lineEnd}--${boundary}--`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.most + tail.length),
    },
    content: Readable.from(pieces(head, file, tail), { objectMode: false }),
    timeoutMs: file.timeoutMs,
  };
}

async function* pieces(head: Buffer, file: FileToUpload, tail: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  let left = file.most;
  for await (const piece of file.content) {
    left -= piece.length;
    yield piece;
  }
  yield tail;
  if (left > 0) yield Buffer.from(lineEnd.repeat(left / lineEnd.length));
}

function part(boundary: string, named: string, content: string, end = lineEnd): string {
  return `--${boundary}${lineEnd}content-disposition: form-data; ${named}${lineEnd}${content}${end}`;
}

const nameOf = (name: string): string => `name="${name}"`;

/** As browsers write names: these three characters would end the text or the line. */
function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
