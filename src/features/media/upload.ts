/** Files of senders without a public URL: they pass through to upstream, and we keep a record of upstream's id. [spec: Additions] */
import { dayMs } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { requireTier } from '../../rules/licences/operability.ts';
import { tierFor } from '../../rules/messages/content.ts';
import type { FileToUpload } from '../../upstream/upload-calls.ts';
import { requireReachable } from '../channels/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import type { Upload } from './entity.ts';

/** Upstream forgets a number's files after 30 days, those of pages later. [upstream §5.2] */
const keptMs = 29 * dayMs;
/** Upstream answers within this time after the last byte. */
const answerMs = 30_000;

interface UploadAsked extends FileToUpload {
  channelId: string;
}

/**
 * Streams a file to upstream; nothing is kept if that fails. Throws 402 `account_suspended`, 404 `not_found`, 400 `channel_inactive`,
 * `channel_without_token`, 402 `licence_inactive`, `tier_too_low`, 400 `content_too_long`, what reading the file throws, and upstream's faults: 400
 * `upstream_refused`, 429 `upstream_busy`, 502 `upstream_failed`.
 */
export async function uploadMedia(given: World, caller: Caller, asked: UploadAsked): Promise<Upload> {
  const world = underRequest(given, caller.requestId);
  const { channelId, ...file } = asked;
  const { channel, licence } = await requireReachable(world, caller, channelId);
  requireTier(licence, tierFor('media'));
  const limit = kindOf(channel.channelType).uploadLimits[file.mediaType];
  // Within the two bytes that nobody knows yet, upstream decides.
  if (file.most - 2 > limit) throw tooLong(channel, file.most, limit);
  const counted = countBytes(file.content);
  const uploadedId = await world.uploads.upload(channel, {
    ...file,
    content: counted.content,
    timeoutMs: file.timeoutMs + answerMs,
  });
  const createdAt = world.clock.now();
  const upload = {
    id: newId(),
    accountId: channel.accountId,
    channelId,
    mediaType: file.mediaType,
    mimeType: file.mimeType,
    fileSize: counted.bytes(),
    filename: file.filename,
    uploadedId,
    createdAt,
    expiresAt: createdAt + keptMs,
  };
  await world.stores.uploads.add(upload);
  return upload;
}

function tooLong({ channelType }: Channel, length: number, limit: number): Error {
  return fault('content_too_long', { field: 'file', length, limit, channel_type: channelType });
}

function countBytes(
  content: FileToUpload['content'],
): Pick<FileToUpload, 'content'> & { bytes: () => number } {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      bytes += piece.length;
      yield piece;
    }
  }
  return { content: counted(), bytes: () => bytes };
}

/** The uploaded file of this channel. Throws 404 `not_found`, also for another channel's, and 410 `gone` once it has expired. */
export async function findUpload(
  { stores, clock }: Pick<World, 'stores' | 'clock'>,
  { id: channelId, accountId }: Pick<Channel, 'id' | 'accountId'>,
  mediaId: string,
): Promise<Upload> {
  const upload = await stores.uploads.find({ id: mediaId, channelId, accountId });
  if (upload === null) throw fault('not_found', { what: 'Media file' });
  if (upload.expiresAt <= clock.now()) throw fault('gone');
  return upload;
}
