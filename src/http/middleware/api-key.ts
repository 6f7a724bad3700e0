import type { IncomingMessage } from 'node:http';
import { looksLikeApiKey } from '../../domain/accounts/api-key.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller, UseCases } from '../../use-cases/index.ts';
import type { RateLimiter } from '../../use-cases/ports/accounts.ts';
import type { FailedAuthLimit } from './failed-auth.ts';

const maxHeader = 200;

/**
 * Who calls. Throws Fault 401, the same whichever part was wrong, and 429 for a wrong key of an address that keeps failing: a
 * right one always gets through. A header that is missing, repeated (Node joins the values with a comma) or not shaped like a key never reaches the store.
 * [spec: Authentication; faults 83, 84]
 */
export async function requireCaller(
  request: IncomingMessage,
  useCases: UseCases,
  limit: FailedAuthLimit,
): Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey.length > maxHeader || !looksLikeApiKey(apiKey)) {
    throw fault('unauthorized');
  }
  // Only the socket's own address: X-Forwarded-* is anybody's to write. [faults 87]
  const address = request.socket.remoteAddress ?? '';
  const waitSeconds = limit.waitSeconds(address, apiKey);
  const lookUp = () => useCases.authenticate(apiKey);
  // Who has left the queue costs no look-up.
  const lookUpIfHere = async () => (request.socket.destroyed ? null : lookUp());
  const caller = await (waitSeconds === 0 ? lookUp() : limit.slowly(lookUpIfHere));
  if (caller !== null) {
    limit.succeeded(apiKey);
    return caller;
  }
  if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: waitSeconds });
  limit.failed(address, apiKey);
  throw fault('unauthorized');
}

/** [spec: HTTP status codes, 429] Throws Fault 429 with the seconds to wait. */
export function requireRate(rateLimiter: RateLimiter, caller: Caller): void {
  const waitSeconds = rateLimiter.take(caller.apiKeyId);
  if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: waitSeconds });
}
