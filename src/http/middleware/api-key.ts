import type { IncomingMessage } from 'node:http';
import { looksLikeApiKey } from '../../domain/accounts/account.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../use-cases/index.ts';
import type { RateLimiter } from '../../use-cases/ports/accounts.ts';
import type { RouteContext } from '../options.ts';
import { clientAddress } from './client-address.ts';
import type { Guesser } from './failed-auth.ts';

const maxHeader = 200;

/**
 * Returns the caller, without a promise if the key was valid a moment ago. Throws Fault 401, the same whichever part was wrong, and Fault
 * 429 for a wrong key from an address that keeps failing; a valid key always passes. A header that is missing, repeated (Node joins the
 * values with a comma) or not shaped like a key never reaches the store. [spec: Authentication; faults 83, 84]
 */
export function requireCaller(request: IncomingMessage, context: RouteContext): Caller | Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey.length > maxHeader || !looksLikeApiKey(apiKey)) {
    throw fault('unauthorized');
  }
  // A key that was valid a moment ago is not a guess.
  return context.useCases.knownCaller(apiKey) ?? lookUpCaller(request, apiKey, context);
}

async function lookUpCaller(
  request: IncomingMessage,
  apiKey: string,
  context: RouteContext,
): Promise<Caller> {
  const { guessLimit, useCases } = context;
  const caller = await guessLimit.check(makeGuesser(request, context), apiKey, () =>
    useCases.authenticate(apiKey),
  );
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
