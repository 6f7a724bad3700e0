import { createHmac } from 'node:crypto';
import { subscribedAssetOf } from '../../domain/channels/channel.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { fault } from '../../kernel/faults.ts';
import { textOf } from './wire/read.ts';
import { requireSuccess } from './graph.ts';
import type { Graph } from './graph.ts';

/**
 * Every field of both kinds: the call replaces the page's list, and one page may serve a pagechat and a photoapp channel.
 * [upstream §2.2]
 */
const pageFields = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'messaging_seen',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
].join(',');

const queryOf: Record<ChannelType, Record<string, string>> = {
  chatapp: {},
  pagechat: { subscribed_fields: pageFields },
  photoapp: { subscribed_fields: pageFields },
};

/** Subscribes the business account or page; then registers a number that upstream alone serves. [upstream §2.2, §2.4] */
export async function subscribeChannel(
  graph: Graph,
  channel: Channel,
  token: string,
  appSecret: string,
): Promise<void> {
  const answer = await graph.call({
    method: 'POST',
    path: subscriptionPath(channel),
    query: queryOf[channel.channelType],
    token,
  });
  requireSuccess(answer, 'the webhook subscription');
  if (channel.phoneNumberId !== null && !channel.isDualUse) {
    await register(graph, channel.phoneNumberId, token, appSecret);
  }
}

export async function unsubscribeChannel(graph: Graph, channel: Channel, token: string): Promise<void> {
  await graph.call({ method: 'DELETE', path: subscriptionPath(channel), token });
}

function subscriptionPath(channel: Channel): string {
  const asset = subscribedAssetOf(channel);
  if (asset === null) throw fault('upstream_failed', { why: 'the channel is not completely connected' });
  return `/${encodeURIComponent(asset)}/subscribed_apps`;
}

const pinMismatch = 133005;

/**
 * Registering again with the right PIN succeeds, with another it fails. A number that carries somebody else's PIN but is
 * already connected needs no registration. [upstream §2.4 notes]
 */
async function register(
  graph: Graph,
  phoneNumberId: string,
  token: string,
  appSecret: string,
): Promise<void> {
  const path = `/${encodeURIComponent(phoneNumberId)}`;
  const pin = pinOf(phoneNumberId, appSecret);
  const attempt = await graph.attempt({
    method: 'POST',
    path: `${path}/register`,
    body: { messaging_product: 'whatsapp', pin },
    token,
    secrets: [pin],
  });
  if (attempt.ok) return requireSuccess(attempt.answer, 'the registration of the number');
  if (attempt.error.code !== pinMismatch) throw attempt.fault;
  const number = await graph.call({ path, query: { fields: 'status' }, token });
  if (textOf(number['status']) !== 'CONNECTED') throw attempt.fault;
}

/**
 * Six digits nobody can guess without the app secret, and the same ones when the number is connected again: a random PIN that
 * nobody keeps would lock its owner out of a second connection.
 */
export function pinOf(phoneNumberId: string, appSecret: string): string {
  const digest = createHmac('sha256', appSecret).update(`two-step PIN of ${phoneNumberId}`).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}
