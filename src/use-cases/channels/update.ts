import type { Channel } from '../../domain/channels/channel.ts';
import { announceChange } from '../changed.ts';
import type { Caller, ChannelWithSecret, WebhookPatch } from '../index.ts';
import type { CachedWorld } from '../world.ts';
import { channelOf, noSuchChannel } from './find.ts';
import { checkWebhookPatch, newWebhookSecret, settingsFrom } from './webhook-settings.ts';

/**
 * PATCH of a channel, active or not: only the fields that are there change. Throws 404 `not_found`, 422 `validation`.
 * [spec: ChannelUpdateRequest]
 */
export async function updateChannel(
  world: CachedWorld,
  caller: Caller,
  channelId: string,
  patch: WebhookPatch,
): Promise<ChannelWithSecret> {
  const before = await channelOf(world, caller, channelId);
  checkWebhookPatch(before.channelType, patch);
  const secret = secretFor(before, patch);
  const settings = settingsFrom(world.sealer, channelId, patch, secret);
  const channel = await world.stores.channels.updateWebhook(channelId, caller.accountId, settings);
  if (channel === null) throw noSuchChannel();
  await announceChange(world, channelId);
  return { channel, webhookSecret: secret ?? null };
}

/**
 * [spec: ChannelUpdateRequest] A secret is made when `webhook_url` is set for the first time and there is none, stored or given;
 * null gives none. Later changes of the URL make none: a client that has cleared its secret wants unsigned deliveries.
 */
function secretFor(before: Channel, { webhookUrl, webhookSecret }: WebhookPatch): string | null | undefined {
  const isFirstUrl = typeof webhookUrl === 'string' && before.webhookUrl === null;
  const hasNone = before.webhookSecret === null && webhookSecret == null;
  return isFirstUrl && hasNone ? newWebhookSecret() : webhookSecret;
}
