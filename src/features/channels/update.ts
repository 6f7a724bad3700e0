import type { SealedText } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChangedChannel } from '../../storage/channel-holdings.ts';
import { announceChange, announceToEndpoints, intendChange } from './announce-change.ts';
import type { Caller } from '../../rules/caller.ts';
import { eraseUnkept } from './kept.ts';
import type { ChannelWithSecret, WebhookPatch } from './types.ts';
import { audit } from '../audit/index.ts';
import { channelSnapshot } from './snapshot.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { findChannel, noSuchChannel } from './find.ts';
import { forgetFailing } from './flush-activity.ts';
import {
  checkWebhookPatch,
  newWebhookSecret,
  openSecret,
  sealSecret,
  settingsFrom,
} from './webhook-settings.ts';

/**
 * PATCH of a channel, active or not: changes the given fields only. Throws 404 `not_found`, 422 `validation`.
 * [spec: ChannelUpdateRequest]
 */
export async function updateChannel(
  given: World,
  caller: Caller,
  channelId: string,
  patch: WebhookPatch,
): Promise<ChannelWithSecret> {
  const world = underRequest(given, caller.requestId);
  const { changed, first } = await write(world, caller, channelId, patch);
  const { sealer } = world;
  const channel = changed.after;
  await audit(world, caller.by, 'channel.updated', channelSnapshot(changed.before), channelSnapshot(channel));
  await announceChange(world, channelId);
  await announceToEndpoints(world, channel);
  if (channel.webhookUrl !== changed.before.webhookUrl) await forgetFailing(world, channelId);
  if (channel.failedRetentionDays < changed.before.failedRetentionDays) await eraseUnkept(world, channel);
  // Of two concurrent PATCHes that set the first URL, both answers contain the stored secret.
  const stands = first === undefined ? null : channel.webhookSecret;
  const secret = stands === null ? (patch.webhookSecret ?? null) : openSecret(sealer, channelId, stands);
  return { channel, webhookSecret: secret };
}

interface Written {
  changed: ChangedChannel;
  /** The secret for the first `webhook_url`; undefined: none was needed. */
  first: SealedText | undefined;
}

/** What follows from the present secret, the previous one above all, is made anew if another call was faster with a secret of its own. */
async function write(world: World, caller: Caller, channelId: string, patch: WebhookPatch): Promise<Written> {
  for (;;) {
    const before = await findChannel(world, caller, channelId);
    checkWebhookPatch(before.channelType, patch);
    const settings = settingsFrom(world, before, patch, patch.webhookSecret);
    const needs = needsSecret(before, patch);
    const first = needs ? sealSecret(world.sealer, channelId, newWebhookSecret()) : undefined;
    const seen = patch.webhookSecret === undefined ? {} : { webhookSecret: before.webhookSecret };
    await intendChange(world, channelId);
    const which = { id: channelId, accountId: caller.accountId, ...seen };
    const changed = await world.stores.channels.updateWebhook(which, settings, first);
    if (changed !== null) return { changed, first };
    if (patch.webhookSecret === undefined) throw noSuchChannel();
  }
}

/**
 * [spec: ChannelUpdateRequest] A secret is generated when `webhook_url` is set for the first time and none is stored or given (null
 * counts as none). Later URL changes generate none: a client that has cleared its secret wants unsigned deliveries.
 */
function needsSecret(before: Channel, { webhookUrl, webhookSecret }: WebhookPatch): boolean {
  const isFirstUrl = typeof webhookUrl === 'string' && before.webhookUrl === null;
  return isFirstUrl && before.webhookSecret === null && webhookSecret == null;
}
