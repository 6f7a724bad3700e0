import { createHash } from 'node:crypto';

/**
 * Rendezvous hashing: every channel has its own order of preference over the nodes, so that a node that comes or goes moves
 * only its share. Node names, not incarnations: a restarted node gets its channels back. null: no node.
 */
export function placeOf<N extends { nodeId: string }>(channelId: string, nodes: readonly N[]): N | null {
  let best: N | null = null;
  let bestScore = -1n;
  for (const node of nodes) {
    const score = createHash('sha256').update(`${node.nodeId} ${channelId}`).digest().readBigUInt64BE();
    if (score > bestScore) {
      best = node;
      bestScore = score;
    }
  }
  return best;
}
