import type { NamedFile } from '../kind.ts';
import type { FileToUpload } from '../upload-calls.ts';

/** How the names of files of a type end. A number takes no other types of these media. [upstream §5.2, §5.4] */
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
]);

/**
 * Upstream takes the ending of a name for the type of the file, and refuses a message with the file (131053) after it took both. Only of a
 * document does anybody see the name.
 */
export function namedUpload({ mediaType, mimeType: stated, filename }: FileToUpload): NamedFile {
  const mimeType = mediaType === 'audio' ? asFileType(stated) : stated;
  const ending = mediaType === 'document' ? undefined : endings.get(bareType(mimeType));
  return { mimeType, filename: ending === undefined ? (filename ?? mediaType) : `${mediaType}.${ending}` };
}

/** `audio/opus` is the type of a stream; phones and browsers give it to Ogg files too. Upstream takes such a file and sends none. */
function asFileType(mimeType: string): string {
  return bareType(mimeType) === 'audio/opus' ? 'audio/ogg; codecs=opus' : mimeType;
}

function bareType(mimeType: string): string {
  return mimeType.replace(/;.*$/s, '').trim().toLowerCase();
}
