import type { Channel } from '../../domain/channels/channel.ts';
import { fault } from '../../kernel/faults.ts';
import { requireSuccess } from './graph.ts';
import type { Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';

/** Subscribes to the webhooks of the business account or page, then makes the kind's further calls. [upstream §2.2, §2.4] */
export async function subscribeChannel(
  graph: Graph,
  channel: Channel,
  token: string,
  appSecret: string,
): Promise<void> {
  const form = upstreamKindOf(channel.channelType).connect;
  const path = subscriptionPath(channel);
  const answer = await graph.call({ method: 'POST', path, query: form.subscriptionQuery, token });
  requireSuccess(answer, 'the webhook subscription');
  await form.afterSubscribe(graph, channel, token, appSecret);
}

export async function unsubscribeChannel(graph: Graph, channel: Channel, token: string): Promise<void> {
  await graph.call({ method: 'DELETE', path: subscriptionPath(channel), token });
}

export function subscriptionPath(channel: Channel): string {
  const asset = channel.subscribedAsset;
  if (asset === null) throw fault('upstream_failed', { why: 'the channel is not completely connected' });
  return `/${encodeURIComponent(asset)}/subscribed_apps`;
}
