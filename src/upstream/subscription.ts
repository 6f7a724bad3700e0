/** The webhook subscription of a business account or page. [upstream §2.2, §2.4] */
import type { Channel } from '../rules/channels/channel.ts';
import { fault } from '../kernel/faults.ts';
import type { Attempt, Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { recordsIn } from './read.ts';
import type { Json } from './read.ts';

export function subscriptionPath(channel: Channel): string {
  const asset = channel.subscribedAsset;
  if (asset === null) throw fault('upstream_failed', { why: 'the channel is not completely connected' });
  return `/${encodeURIComponent(asset)}/subscribed_apps`;
}

/** The apps that hear the channel's asset. */
export function askSubscribed(graph: Graph, channel: Channel, token: string): Promise<Attempt> {
  return graph.attempt({ path: subscriptionPath(channel), query: { limit: '100' }, token });
}

/** Whether our app is among them, subscribed to everything that the channel's kind hears. */
export function isHeardIn(answer: Json, { channelType }: Channel, appId: string): boolean {
  const { connect } = upstreamKindOf(channelType);
  return recordsIn(answer['data']).some((app) => connect.isHeardBy(app, appId));
}
