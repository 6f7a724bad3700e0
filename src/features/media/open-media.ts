import type { MediaFile } from '../../storage/media-store.ts';
import { requireTier } from '../../rules/licences/operability.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { findLicence } from '../channels/index.ts';

interface OpenMedia {
  file: MediaFile;
  /** Lazy: reads nothing before the first chunk is requested. */
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * [spec: Media download] A file of the caller's account. Throws 404 if absent or of another account, 402 if the channel's licence has
 * a lower tier, 410 after expiry. Files of a channel that is inactive or has no licence can still be read.
 * [operator-interface §4: media]
 */
export async function openMedia(world: World, caller: Caller, mediaId: string): Promise<OpenMedia> {
  const { media, channels } = world.stores;
  const file = await media.find(mediaId, caller.accountId);
  if (file === null) throw fault('not_found', { what: 'Media file' });
  const channel = await channels.inAccount(file.channelId, caller.accountId);
  const licence = channel === null ? null : await findLicence(world, channel);
  if (licence !== null) requireTier(licence, 'pro');
  if (file.expiresAt <= world.clock.now()) throw fault('gone');
  return { file, bytes: media.read(file) };
}
