import type { Channel } from '../../domain/channels/channel.ts';
import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { ChannelWithSecret, WebhookPatch } from './types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { channelOf, noSuchChannel } from './find.ts';
import { checkWebhookPatch, newWebhookSecret, settingsFrom } from './webhook-settings.ts';

/**
 * PATCH of a channel, active or not: only the fields that are there change. Throws 404 `not_found`, 422 `validation`.
 * [spec: ChannelUpdateRequest]
 */
export async function updateChannel(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  patch: WebhookPatch,
): Promise<ChannelWithSecret> {
  const before = await channelOf(deps, caller, channelId);
  checkWebhookPatch(before.channelType, patch);
  const secret = secretFor(before, patch);
  const settings = settingsFrom(deps.sealer, channelId, patch, secret);
  const channel = await deps.stores.channels.updateWebhook(channelId, caller.accountId, settings);
  if (channel === null) throw noSuchChannel();
  await announceChange(deps, channelId);
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
