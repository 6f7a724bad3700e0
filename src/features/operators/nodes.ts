import type { NodeInsight } from '../../storage/nodes-port.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';

export function listNodes({ cluster }: UseCaseDeps): Promise<NodeInsight[]> {
  return cluster.nodes();
}

/** As `ClusterView.drain`. [operator-interface §3] */
export async function drain(deps: UseCaseDeps, nodeId: string | null = null): Promise<void> {
  await deps.cluster.drain(nodeId);
  await audit(deps, 'node.drained', null, { accountId: null, subject: nodeId, shown: null });
}
