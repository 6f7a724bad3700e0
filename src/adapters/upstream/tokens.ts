import { fault } from '../../kernel/faults.ts';
import { asRecord, asText } from './read.ts';
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

/** Exchanges a user token for a long-lived one. Page tokens derived from that do not expire. [upstream §1.2, §2.1 step 4] */
export async function longLivedToken(
  graph: Graph,
  { appId, appSecret }: GraphSettings,
  token: string,
): Promise<string> {
  const answer = await graph.call({
    path: '/oauth/access_token',
    query: {
      grant_type: 'fb_exchange_token',
      client_id: appId,
      client_secret: appSecret,
      fb_exchange_token: token,
    },
    secrets: [token],
  });
  return tokenIn(answer);
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

function tokenIn(answer: Json): string {
  const token = asText(answer['access_token']);
  // A line break or another control character would break the header that carries the token.
  if (token === null || !/^[\x21-\x7e]+$/.test(token)) {
    throw fault('upstream_failed', { why: 'it gave no access token' });
  }
  return token;
}
