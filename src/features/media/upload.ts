/** Files of senders without a public URL: they pass through to upstream, and we keep a record of upstream's id. [spec: Additions] */
import { dayMs } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { idFrom, newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { requireTier } from '../../rules/licences/operability.ts';
import { tierFor } from '../../rules/messages/content.ts';
import { checkBeginning, checkFileType } from '../../rules/messages/file-type.ts';
import type { FileToUpload } from '../../upstream/upload-calls.ts';
import { requireReachable } from '../channels/index.ts';
import { unknownBytes } from '../../http/middleware/file-form.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import type { Upload } from './entity.ts';
import { PassingFile } from './passing-file.ts';

/** Upstream forgets a number's files after 30 days, those of pages later. [upstream §5.2] */
const keptMs = 29 * dayMs;
/** Upstream answers within this time after the last byte. */
const answerMs = 30_000;

interface UploadAsked extends FileToUpload {
  channelId: string;
  /** The same file that is given again under the same name is one upload; absent: each call is one. */
  once?: string;
}

/**
 * Streams a file to upstream; nothing is kept if that fails, or if the caller may no longer send once the file has arrived. Throws 402
 * `account_suspended`, 404 `not_found`, 400 `channel_inactive`, `channel_without_token`, 402 `licence_inactive`, `tier_too_low`, 400
 * `content_too_long`, `unsupported_content`, what reading the file throws, and upstream's faults: 400 `upstream_refused`, 429 `upstream_busy`, 502
 * `upstream_failed`.
 */
export async function uploadMedia(given: World, caller: Caller, asked: UploadAsked): Promise<Upload> {
  const world = underRequest(given, caller.requestId);
  const { channelId, once, ...file } = asked;
  const channel = await requireSender(world, caller, channelId);
  const kind = kindOf(channel.channelType);
  checkFileType(kind, file.mediaType, file.mimeType);
  const limit = kind.uploadLimits[file.mediaType];
  // Within the bytes that nobody knows yet, upstream decides.
  if (file.most - unknownBytes > limit) throw tooLong(channel, file.most, limit);
  const passing = new PassingFile(file.content, {
    onBeginning: (first) => checkBeginning(kind, file.mediaType, first),
    // A file may take minutes to arrive. [faults: 175]
    onEnd: () => requireSender(world, caller, channelId),
    hashes: once !== undefined,
  });
  const { content } = passing;
  const timeoutMs = file.timeoutMs + answerMs;
  const uploadedId = await world.uploads.upload(channel, { ...file, content, timeoutMs });
  const digest = passing.digest();
  const { accountId } = channel;
  const { mediaType, mimeType, filename } = file;
  const createdAt = world.clock.now();
  return world.stores.uploads.add({
    id: once === undefined ? newId() : idFrom('upload', accountId, channelId, once, mediaType, mimeType, filename ?? '', digest), // oxfmt-ignore
    accountId,
    channelId,
    mediaType,
    mimeType,
    fileSize: passing.bytes,
    filename,
    uploadedId,
    createdAt,
    expiresAt: createdAt + keptMs,
  });
}

/** The channel, if this caller may send a file on it now. */
async function requireSender(world: World, caller: Caller, channelId: string): Promise<Channel> {
  const { channel, licence } = await requireReachable(world, caller, channelId);
  requireTier(licence, tierFor('media'));
  return channel;
}

function tooLong({ channelType }: Channel, length: number, limit: number): Error {
  return fault('content_too_long', { field: 'file', length, limit, channel_type: channelType });
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
