import type { UseCaseDeps } from '../deps.ts';
import type { NodeInsight } from '../ports/operating.ts';

export function listNodes({ cluster }: UseCaseDeps): Promise<NodeInsight[]> {
  return cluster.nodes();
}

/** As `ClusterView.drain`. [operator-interface §3] */
export function drain({ cluster }: UseCaseDeps, nodeId: string | null = null): Promise<void> {
  return cluster.drain(nodeId);
}
