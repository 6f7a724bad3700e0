import { kindOf } from '../rules/channels/kinds.ts';
import type { HealthUpstream, Probed } from './health-calls.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import { isAccessLost, isTokenRefused } from './credentials.ts';
import type { ChannelCalls, Graph } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { askSubscribed, isHeardIn } from './subscription.ts';

interface HealthWorld extends Pick<ChannelCalls, 'openToken'> {
  newGraph: () => Graph;
  appId: string;
  /** Where our app wants its events. */
  callbackUrl: string;
}

/** The channel's own object cannot be read. */
function unreadable(token: Probed['state']['token'], problems: Probed['problems']): Probed {
  const state = { token, isSubscribed: null, qualityRating: null };
  return { state, profile: null, saysEchoes: false, problems, lookedFor: [] };
}

/** Checks the token and the webhook subscription with one call: the subscription is read with the channel's token. [upstream §2.2, §2.4] */
export function makeHealth({ newGraph, openToken, appId, callbackUrl }: HealthWorld): HealthUpstream {
  return {
    async probe(channel) {
      const { connect } = upstreamKindOf(channel.channelType);
      const graph = newGraph();
      const token = openToken(channel);
      const found = await askSubscribed(graph, channel, token);
      if (!found.ok) {
        const { error } = found;
        if (isOperatorFault(error)) throw found.fault;
        if (isTokenRefused(error.code)) return unreadable('refused', []);
        if (isAccessLost(error)) return unreadable('valid', [{ code: 'access_removed' }]);
        throw found.fault;
      }
      const isSubscribed = isHeardIn(found.answer, channel, appId);
      const shown = await connect.profile(graph, channel, token);
      const profile = shown?.profile ?? null;
      const qualityRating = kindOf(channel.channelType).publicFields(profile).quality_rating ?? null;
      const { problems, lookedFor } = await connect.conditions(graph, channel, token, callbackUrl);
      return {
        state: { token: 'valid', isSubscribed, qualityRating },
        profile,
        saysEchoes: shown?.saysEchoes ?? true,
        problems,
        lookedFor: ['access_removed', ...lookedFor],
      };
    },
  };
}
