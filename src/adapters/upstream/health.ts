import { kindOf } from '../../domain/channels/kinds.ts';
import type { Log } from '../../kernel/log.ts';
import type { HealthUpstream } from '../../use-cases/ports/health.ts';
import { openToken, isTokenRefused } from './credentials.ts';
import type { ChannelCredentials } from './credentials.ts';
import type { Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { subscriptionPath } from './admin.ts';
import { asList, asRecord } from './read.ts';

interface HealthWorld {
  newGraph: () => Graph;
  credentials: ChannelCredentials;
  appId: string;
  log: Log;
}

/** Checks the token and the webhook subscription with one call: the subscription is read with the channel's token. [upstream §2.2, §2.4] */
export function makeHealth({ newGraph, credentials, appId, log }: HealthWorld): HealthUpstream {
  return {
    async probe(channel) {
      const { connect } = upstreamKindOf(channel.channelType);
      const graph = newGraph();
      const token = openToken(credentials, channel, log);
      const found = await graph.attempt({ path: subscriptionPath(channel), query: { limit: '100' }, token });
      if (!found.ok) {
        if (!isTokenRefused(found.error.code)) throw found.fault;
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
