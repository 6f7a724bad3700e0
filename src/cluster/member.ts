/** One run of one node, as it announces itself in Redis. A restarted node is a new incarnation. */
export interface Member {
  nodeId: string;
  incarnation: string;
  /** `ws://host:port` of its internal listener. */
  url: string;
  /** Wall ms of that node. */
  startedAt: number;
  draining: boolean;
  /** Its lease never has longer to live than this. */
  leaseTtlMs: number;
}

/** null: no member that this build understands; another build's entry must not keep a node from seeing the rest. */
export function parseMember(text: string): Member | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields: Record<string, unknown> = { ...value };
  const { nodeId, incarnation, url, startedAt, draining, leaseTtlMs } = fields;
  if (typeof nodeId !== 'string' || typeof incarnation !== 'string' || typeof url !== 'string') return null;
  if (!isWebSocketUrl(url)) return null;
  return {
    nodeId,
    incarnation,
    url,
    startedAt: Number(startedAt),
    draining: draining === true,
    leaseTtlMs: Number(leaseTtlMs),
  };
}

function isWebSocketUrl(text: string): boolean {
  try {
    return /^wss?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
