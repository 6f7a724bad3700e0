import { kindOf } from '../../domain/channels/kinds.ts';
import type { HealthUpstream } from '../../use-cases/ports/health.ts';
import { isOperatorFault } from '../../domain/messages/operator-fault.ts';
import { isTokenRefused } from './credentials.ts';
import type { ChannelCalls, Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { subscriptionPath } from './admin.ts';
import { asList, asRecord } from './read.ts';

interface HealthWorld extends Pick<ChannelCalls, 'openToken'> {
  newGraph: () => Graph;
  appId: string;
}

/** Checks the token and the webhook subscription with one call: the subscription is read with the channel's token. [upstream §2.2, §2.4] */
export function makeHealth({ newGraph, openToken, appId }: HealthWorld): HealthUpstream {
  return {
    async probe(channel) {
      const { connect } = upstreamKindOf(channel.channelType);
      const graph = newGraph();
      const token = openToken(channel);
      const found = await graph.attempt({ path: subscriptionPath(channel), query: { limit: '100' }, token });
      if (!found.ok) {
        if (isOperatorFault(found.error) || !isTokenRefused(found.error.code)) throw found.fault;
        return { state: { token: 'refused', isSubscribed: null, qualityRating: null }, profile: null };
      }
      const apps = asList(found.answer['data']).map(asRecord);
      const isSubscribed = apps.some((app) => app !== null && connect.isHeardBy(app, appId));
      const profile = await connect.profile(graph, channel, token);
      const qualityRating = kindOf(channel.channelType).publicFields(profile).quality_rating ?? null;
      return { state: { token: 'valid', isSubscribed, qualityRating }, profile };
    },
  };
}
