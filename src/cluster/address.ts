/** How other nodes reach the node-to-node listener of this one. */

/** `INTERNAL_URL` may say http, as it did before links were TLS. */
export function linkUrl(internalUrl: string): string {
  const { protocol, hostname, port } = new URL(internalUrl);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `wss://${hostname}:${port === '' ? defaultPort : port}`;
}

/** What others dial when this node listens on every address and nothing else was said: right for nodes of one machine. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
