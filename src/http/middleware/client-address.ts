import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { clientNetwork } from '../../kernel/client-network.ts';

/**
 * The client's address, for limits on unauthenticated callers. Anybody can write `X-Forwarded-For`; only its last `hops` entries were
 * written by our own proxies. Without such proxies the socket's address is used. [faults: 87]
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const own = request.socket.remoteAddress ?? '';
  const header = hops === 0 ? undefined : request.headers['x-forwarded-for'];
  if (header === undefined) return clientNetwork(own);
  const named = String(header)
    .split(',')
    .slice(-hops)
    .map((entry) => entry.trim());
  const [client = ''] = named;
  return clientNetwork(isIP(client) === 0 ? own : client);
}
