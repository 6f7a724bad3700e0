import { bareType } from '../../rules/messages/file-type.ts';
import type { NamedFile } from '../kind.ts';
import type { FileToUpload } from '../upload-calls.ts';

const office = 'application/vnd.openxmlformats-officedocument';

/** How the names of files of a type end, of the types that a number lists. [upstream §5.2, §5.4] */
const endings = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['audio/aac', 'aac'],
  ['audio/amr', 'amr'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg', 'ogg'],
  ['video/mp4', 'mp4'],
  ['video/3gpp', '3gp'],
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  [`${office}.wordprocessingml.document`, 'docx'],
  [`${office}.spreadsheetml.sheet`, 'xlsx'],
  [`${office}.presentationml.presentation`, 'pptx'],
]);

/**
 * Upstream takes the ending of a name for the type of the file, and refuses a message with the file (131053) after it took both. Nobody sees
 * the name: a send of a document has its own.
 */
export function namedUpload({ mediaType, mimeType: stated, filename }: FileToUpload): NamedFile {
  const mimeType = mediaType === 'audio' ? asFileType(stated) : stated;
  const given = filename ?? mediaType;
  const ending = endings.get(bareType(mimeType));
  // A document of a general type may end as of a special one: a table as text is `.csv`.
  if (ending === undefined || (mediaType === 'document' && hasEnding(given)))
    return { mimeType, filename: given };
  return { mimeType, filename: `${mediaType === 'document' ? given : mediaType}.${ending}` };
}

function hasEnding(name: string): boolean {
  return /\.[0-9]{0,4}[A-Za-z][0-9A-Za-z]{0,4}$/.test(name);
}

/** `audio/opus` is the type of a stream; phones and browsers give it to Ogg files too. Upstream takes such a file and sends none. */
function asFileType(mimeType: string): string {
  return bareType(mimeType) === 'audio/opus' ? 'audio/ogg; codecs=opus' : mimeType;
}
