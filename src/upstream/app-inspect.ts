/** What upstream says of the app's id and secret, and of single channels: for the check that operators ask for. */
import type { Channel } from '../rules/channels/channel.ts';
import type { AppCredentials, ChannelAtUpstream, TokenScopes } from './app-calls.ts';
import type { Graph, GraphSettings } from './graph.ts';
import { upstreamKindOf } from './kinds.ts';
import { askSubscribed, isHeardIn } from './subscription.ts';
import { inspectToken } from './tokens.ts';
import { asList, asRecord, asText } from './read.ts';
import type { Json } from './read.ts';

type App = Pick<GraphSettings, 'appId' | 'appSecret'>;

export async function checkCredentials(graph: Graph, { appId, appSecret }: App): Promise<AppCredentials> {
  const attempt = await graph.attempt({
    path: '/oauth/access_token',
    query: { client_id: appId, client_secret: appSecret, grant_type: 'client_credentials' },
  });
  if (attempt.ok) return { isAccepted: true, version: attempt.version };
  return { isAccepted: false, why: attempt.fault.message };
}

interface ChannelCheck {
  graph: Graph;
  app: GraphSettings;
  token: string;
  callbackUrl: string;
}

export async function inspectChannel(channel: Channel, check: ChannelCheck): Promise<ChannelAtUpstream> {
  const { graph, app, token } = check;
  const known = await inspectToken(graph, app, token);
  const endsAt = Number(known['expires_at'] ?? 0);
  const base = {
    tokenEndsAt: Number.isFinite(endsAt) && endsAt > 0 ? endsAt * 1_000 : null,
    scopes: shownScopes(known),
    missingPermissions: missingPermissions(channel, known),
  };
  if (known['is_valid'] === false) {
    const why = asText(asRecord(known['error'])?.['message']) ?? 'it is not valid';
    return { ...base, tokenRefused: why, isSubscribed: null, problems: [] };
  }
  const isSubscribed = await isHeard(channel, check);
  const { connect } = upstreamKindOf(channel.channelType);
  const { problems } = await connect.conditions(graph, channel, token, check.callbackUrl);
  return { ...base, tokenRefused: null, isSubscribed, problems };
}

function shownScopes(known: Json): TokenScopes | null {
  if (!Array.isArray(known['scopes']) && !Array.isArray(known['granular_scopes'])) return null;
  return {
    plain: asList(known['scopes']).flatMap((name) => asText(name) ?? []),
    granular: asList(known['granular_scopes']).flatMap((item) => {
      const [name, targets] = [asText(asRecord(item)?.['scope']), asList(asRecord(item)?.['target_ids'])];
      return name === null ? [] : [{ name, targets: targets.length }];
    }),
  };
}

function missingPermissions({ channelType }: Channel, known: Json): string[] | null {
  if (!Array.isArray(known['scopes'])) return null;
  const granted = new Set([
    ...asList(known['scopes']).map(asText),
    ...asList(known['granular_scopes']).map((item) => asText(asRecord(item)?.['scope'])),
  ]);
  return upstreamKindOf(channelType).connect.permissions.filter((name) => !granted.has(name));
}

async function isHeard(channel: Channel, { graph, app, token }: ChannelCheck): Promise<boolean | null> {
  const found = await askSubscribed(graph, channel, token);
  return found.ok ? isHeardIn(found.answer, channel, app.appId) : null;
}
