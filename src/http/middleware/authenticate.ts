/** Who makes a request: an API key or the admin token, and who acts in it for the audit log. */
import type { IncomingMessage } from 'node:http';
import { looksLikeApiKey } from '../../rules/api-key.ts';
import { fault } from '../../kernel/faults.ts';
import type { Actor, Caller, KeyCaller } from '../../rules/caller.ts';
import type { RateLimiter } from '../limits/callers.ts';
import { isSameSecret } from '../../kernel/ids.ts';
import type { RouteContext, HttpOptions } from '../options.ts';
import { clientAddress } from './client-address.ts';
import type { Guesser } from './failed-auth.ts';
import { readRequestId } from './request-headers.ts';

const maxHeader = 200;

/**
 * Returns the caller, without a promise if the key was valid a moment ago. Throws Fault 401, the same whichever part was wrong, and Fault
 * 429 for a wrong key from an address that keeps failing; a valid key always passes. A header that is missing, repeated (Node joins the
 * values with a comma) or not shaped like a key never reaches the store. [spec: Authentication; faults 83, 84]
 */
export function requireCaller(
  request: IncomingMessage,
  context: RouteContext,
): KeyCaller | Promise<KeyCaller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey.length > maxHeader || !looksLikeApiKey(apiKey)) {
    throw fault('unauthorized');
  }
  // A key that was valid a moment ago is not a guess.
  return context.callers.known(apiKey) ?? lookUpCaller(request, apiKey, context);
}

async function lookUpCaller(
  request: IncomingMessage,
  apiKey: string,
  context: RouteContext,
): Promise<KeyCaller> {
  const { guessLimit, callers } = context;
  const guesser = makeGuesser(request, context);
  const caller = await guessLimit.check(guesser, apiKey, () => callers.authenticate(apiKey, guesser.address));
  if (caller === null) throw fault('unauthorized');
  return caller;
}

/** Identifies the client of the request for the guess limit. */
export function makeGuesser(request: IncomingMessage, { trustProxyHops }: RouteContext): Guesser {
  const { socket } = request;
  return {
    address: clientAddress(request, trustProxyHops),
    connection: socket,
    isGone: () => socket.destroyed,
  };
}

/** [spec: HTTP status codes, 429] Throws Fault 429 with the seconds to wait. */
export function requireRate(rateLimiter: RateLimiter, caller: Pick<Caller, 'accountId' | 'apiKeyId'>): void {
  const waitSeconds = rateLimiter.take(caller);
  if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: waitSeconds });
}

/**
 * Throws Fault 401 unless the request carries `Authorization: Bearer <ADMIN_TOKEN>`, and Fault 429 for a wrong token from an address that
 * keeps failing. [operator-interface §3]
 */
export async function requireAdmin(request: IncomingMessage, context: RouteContext): Promise<void> {
  const given = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined) throw fault('not_admin');
  const isAdmin = await context.guessLimit.check(makeGuesser(request, context), given, async () =>
    isSameSecret(given, context.adminToken) ? true : null,
  );
  if (isAdmin === null) throw fault('not_admin');
}

export type Acting = Pick<Actor, 'kind' | 'name'>;

/** Who acts, for the audit log. */
export function actorOf(
  request: IncomingMessage,
  { trustProxyHops }: Pick<HttpOptions, 'trustProxyHops'>,
  who: Acting,
): Actor {
  return {
    ...who,
    address: clientAddress(request, trustProxyHops),
    requestId: readRequestId(request),
  };
}
