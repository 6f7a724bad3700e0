/** Files that a page keeps for later sends, and whether one may be used [upstream protocol 5.2]. */
import { badParameter, GraphError } from './graph-error.ts';
import { newDigits } from './ids.ts';
import { checkUpload, type LinkProblem } from './links.ts';
import type { Page, Photo } from './model.ts';
import type { UploadedFile } from './multipart.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;

/** Refusals of pages when a file cannot be fetched or used [upstream protocol 3.6]. */
export const pageRefusals = {
  unreachable: { code: 100, subcode: 2018008, message: '(#100) Failed to fetch the file from the url' },
  wrong_type: { code: 100, subcode: 2018047, message: '(#100) Upload attachment failure.' },
  too_big: { code: 100, subcode: 2018109, message: '(#100) Attachment size exceeds allowable limit' },
  corrupt: {
    code: 100,
    subcode: 2018294,
    message: '(#100) Video fetching is timed out or the video is corrupt',
  },
} as const;

/** Uploads for photo accounts cannot have a name of other letters. */
export function fileProblem(
  { bytes, filename, mimeType }: UploadedFile,
  type: string,
  isPhoto: boolean,
): LinkProblem | null {
  if (isPhoto && /[^\x20-\x7e]/.test(filename)) return { reason: 'wrong_type', details: 'name of the file' };
  return checkUpload(isPhoto ? 'photoapp' : 'pagechat', type, mimeType, bytes.length);
}

export function newAttachment(world: World, page: Page, isPhoto: boolean): string {
  const id = newDigits('19', 16);
  world.keepAttachment(id, { page: page.id, isPhoto, createdAt: world.now() });
  return id;
}

/** Throws GraphError 100/2018074 unless the channel may send it. */
export function checkKept(world: World, channel: Page | Photo, id: string | undefined): void {
  if (id === undefined) throw badParameter('The parameter url is required');
  const page = channel.type === 'page' ? channel : channel.page;
  const kept = world.attachments.get(id);
  const isOver = world.settings.media_life && kept !== undefined && world.now() - kept.createdAt > 90 * dayMs;
  if (kept?.page === page.id && kept.isPhoto === (channel.type === 'photo') && !isOver) return;
  throw new GraphError({ code: 100, subcode: 2018074, message: '(#100) Invalid attachment ID' });
}
