import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from, for the limits of callers that are not known yet. Anybody may write `X-Forwarded-For`; only the last
 * `hops` entries were written by proxies of ours. Without such proxies it is the socket's address. [faults: 87]
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const own = request.socket.remoteAddress ?? '';
  const header = hops === 0 ? undefined : request.headers['x-forwarded-for'];
  if (header === undefined) return own;
  const named = String(header)
    .split(',')
    .slice(-hops)
    .map((entry) => entry.trim());
  const [client = ''] = named;
  return isIP(client) === 0 ? own : client;
}
