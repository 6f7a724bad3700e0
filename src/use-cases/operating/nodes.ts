import type { UseCaseDeps } from '../deps.ts';
import type { NodeInsight } from '../ports/operating.ts';

export function listNodes({ cluster }: UseCaseDeps): Promise<NodeInsight[]> {
  return cluster.nodes();
}

/** This node hands its channels over. [operator-interface §3] */
export function drain({ cluster }: UseCaseDeps): Promise<void> {
  return cluster.drain();
}
