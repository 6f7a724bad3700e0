import { fault } from '../kernel/faults.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import { asId, asList, asRecord, asText, asTime, recordsIn } from './read.ts';
import type { Json } from './read.ts';
import type { Graph, GraphSettings } from './graph.ts';

/**
 * Exchanges the dialog's code for a token. `redirectUri` must equal the dialog's byte by byte. The code is single-use and may expire after
 * 30 s: call at once, never twice. [upstream §2.1 step 3, §2.4]
 */
export async function tokenForCode(
  graph: Graph,
  { appId, appSecret }: GraphSettings,
  { code, redirectUri }: { code: string; redirectUri: string },
): Promise<string> {
  const answer = await graph.call({
    path: '/oauth/access_token',
    query: { client_id: appId, client_secret: appSecret, redirect_uri: redirectUri, code },
    secrets: [code],
  });
  return tokenIn(answer);
}

/**
 * Exchanges a user token for a long-lived one. Page tokens derived from that do not expire; those of a short one end after an hour. The
 * token of a login configuration may be a system user's: that is long-lived, and upstream may refuse to exchange it. [upstream §1.2, §2.1]
 */
export async function longLivedToken(graph: Graph, settings: GraphSettings, token: string): Promise<string> {
  const attempt = await exchanged(graph, settings, token);
  if (attempt.ok) return tokenIn(attempt.answer);
  const known = await inspectToken(graph, settings, token);
  if (known['type'] === 'USER') throw attempt.fault;
  return token;
}

/** End of a token in ms, as `debug_token` tells it; 0: without end. */
export function readEnd(known: Json): number {
  return expiryOf(known) ?? 0;
}

/**
 * A breakdown, and limits. Fewer than the error table calls transient: for a send an unknown error (1, or a code that it does not list) may
 * pass, but here it may be for good, and the channel's owner must hear of it in time. [upstream §3.5]
 */
const passing: ReadonlySet<number | null> = new Set([2, 4, 17, 32, 613]);

/**
 * Exchanges a token of a login configuration for one with sixty more days; the old one lives on to its own end. An ended token cannot be
 * exchanged. Throws Fault `upstream_failed` if what upstream says may pass. [upstream §1.2]
 */
export async function renewedToken(
  graph: Graph,
  settings: GraphSettings,
  token: string,
): Promise<{ token: string; expiresAt: number } | 'refused'> {
  const attempt = await exchanged(graph, settings, token, { set_token_expires_in_60_days: 'true' });
  if (!attempt.ok) {
    if (isOperatorFault(attempt.error) || passing.has(attempt.error.code)) throw attempt.fault;
    return 'refused';
  }
  const renewed = tokenIn(attempt.answer);
  if (renewed === token) return 'refused';
  return { token: renewed, expiresAt: readEnd(await inspectToken(graph, settings, renewed)) };
}

/** The answer to a token's exchange for another one. */
function exchanged(
  graph: Graph,
  { appId, appSecret }: GraphSettings,
  token: string,
  besides: Readonly<Record<string, string>> = {},
): ReturnType<Graph['attempt']> {
  return graph.attempt({
    path: '/oauth/access_token',
    query: {
      grant_type: 'fb_exchange_token',
      client_id: appId,
      client_secret: appSecret,
      ...besides,
      fb_exchange_token: token,
    },
    secrets: [token],
  });
}

/** Upstream's description of a token. [upstream §2.1 step 6] */
export async function inspectToken(
  graph: Graph,
  { appId, appSecret }: GraphSettings,
  token: string,
): Promise<Json> {
  const answer = await graph.call({
    path: '/debug_token',
    query: { input_token: token },
    token: `${appId}|${appSecret}`,
    secrets: [token],
  });
  return asRecord(answer['data']) ?? {};
}

/** Names and limits of a token's scopes; some are in `granular_scopes` only, and one may be listed there twice. [upstream §2.4] */
interface TokenScope {
  name: string;
  /** Ids of the assets that the scope is limited to; empty: not limited, or upstream does not say. */
  targets: string[];
}

export function scopesOf(known: Json): TokenScope[] {
  const plain = asList(known['scopes']).map((name) => ({ name: asText(name), targets: [] }));
  const granular = recordsIn(known['granular_scopes']).map((item) => ({
    name: asText(item['scope']),
    targets: asList(item['target_ids']).map(asId),
  }));
  return [...plain, ...granular].flatMap(({ name, targets }) =>
    name === null ? [] : [{ name, targets: targets.filter((id) => id !== null) }],
  );
}

/** When the token ends, in ms; null: never, or upstream does not say. [upstream §1.2] */
export function expiryOf(known: Json): number | null {
  return asTime(known['expires_at']);
}

function tokenIn(answer: Json): string {
  const token = asText(answer['access_token']);
  // A line break or another control character would break the header that carries the token.
  if (token === null || !/^[\x21-\x7e]+$/.test(token)) {
    throw fault('upstream_failed', { why: 'it gave no access token' });
  }
  return token;
}
