/** One run of one node, as it announces itself in Redis. A restarted node is a new incarnation. */
export interface Member {
  nodeId: string;
  incarnation: string;
  /** `wss://host:port` of its internal listener. */
  url: string;
  /** Wall ms of that node. */
  startedAt: number;
  draining: boolean;
  /** Its lease never lives longer than this. */
  leaseTtlMs: number;
}

/** The address of a node's internal listener, as other nodes dial it. `INTERNAL_URL` may say http, which earlier builds required. */
export function linkUrl(internalUrl: string): string {
  const { protocol, hostname, port } = new URL(internalUrl);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `wss://${hostname}:${port === '' ? defaultPort : port}`;
}

/** The address to announce when this node listens on every address and `INTERNAL_URL` is unset: right for nodes on one machine. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
