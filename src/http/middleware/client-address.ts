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
  const address = withoutPort(client);
  return clientNetwork(isIP(address) === 0 ? own : address);
}

/** Azure's gateways write `192.0.2.1:5678` and `[2001:db8::1]:5678`, AWS does where it is told to. [faults: 525] */
function withoutPort(entry: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(entry) ?? [];
  return ipv6 ?? ipv4 ?? entry;
}
