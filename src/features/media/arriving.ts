/** A file that arrives in a form, as it is passed on. */
import { fieldFault } from '../../kernel/faults.ts';
import type { ArrivingFile } from '../../http/middleware/file-form.ts';
import { readMimeType } from '../../kernel/mime-type.ts';
import type { FileToUpload } from '../../upstream/upload-calls.ts';

const longestName = 255;
/** As `mime_type`. */
const longestType = 127;

/** Throws 422 for `mime_type` if neither its part nor the sender says what type it is. */
export function toUpload(file: ArrivingFile, mimeType?: string): Omit<FileToUpload, 'mediaType'> {
  const { filename, most, timeoutMs, content } = file;
  const name = filename === null ? '' : lastOfPath(filename).slice(-longestName).toWellFormed();
  return { filename: name === '' ? null : name, most, timeoutMs, content, mimeType: typeOf(file, mimeType) };
}

/** Some browsers sent the whole path; a line break or NUL has no place in a name. */
function lastOfPath(filename: string): string {
  return filename.replace(/^.*[/\\]/s, '').replaceAll(/\p{Cc}/gu, ' ');
}

/** Upstream refuses a file whose type it is not told. */
function typeOf(file: ArrivingFile, given: string | undefined): string {
  const stated = given === undefined ? file.mimeType : readMimeType(given);
  if (stated !== null && String(stated).length <= longestType) return String(stated);
  const needed = `Field required unless the part with the file has a Content-Type of at most ${longestType} characters`;
  throw fieldFault(['body', 'mime_type'], needed);
}
