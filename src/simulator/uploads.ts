import { badParameter } from './graph-error.ts';
import { checkUpload } from './links.ts';
import type { Content } from './media-bytes.ts';

/** What a number takes as an upload, as its refusal lists it. */
const takenUploads = [
  'audio/aac',
  'audio/mp4',
  'audio/mpeg',
  'audio/amr',
  'audio/ogg',
  'audio/opus',
  'application/vnd.ms-powerpoint',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/pdf',
  'text/plain',
  'application/vnd.ms-excel',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/3gpp',
];

/** Nobody downloads an upload: of a large one only the size is kept. */
export function uploaded(bytes: Buffer): Content {
  return bytes.length > 1_048_576 ? { is: 'filler', size: bytes.length } : { is: 'kept', bytes };
}

/** Throws GraphError 100 for a type that no message takes, and a file that is too large for its own. */
export function checkUploaded(mimeType: string, size: number): void {
  const bare = mimeType.replace(/;.*$/s, '').trim().toLowerCase();
  if (!takenUploads.includes(bare))
    throw badParameter(
      `Param file must be a file with one of the following types: ${takenUploads.join(', ')}. Received file of type '${bare}'.`,
    );
  const [group = ''] = bare.split('/');
  const type = bare === 'image/webp' ? 'sticker' : group;
  if (
    checkUpload('chatapp', type === 'application' || type === 'text' ? 'document' : type, bare, size)
      ?.reason === 'too_big'
  )
    throw badParameter('Media file size too big');
}
