import type { VNode } from 'preact';
import type { NodeInsight } from '../../use-cases/index.ts';
import { Rows } from '../parts.tsx';

type Status = NonNullable<NodeInsight['status']>;

const rows: readonly (readonly [name: string, count: (status: Status) => number])[] = [
  ['Sends that wait for a place or their turn', ({ sendsWaiting }) => sendsWaiting],
  ['Sends under way: calls, next tries, proofs', ({ sendsOpen, sendsWaiting }) => sendsOpen - sendsWaiting],
  ['Events to deliver', ({ deliveriesPending }) => deliveriesPending],
];

/** What waits, on all nodes together. */
export function Waiting({ nodes }: { nodes: readonly NodeInsight[] }): VNode {
  const known = nodes.flatMap(({ status }) => (status === null ? [] : [status]));
  const silent = nodes.flatMap(({ nodeId, status }) => (status === null ? [nodeId] : []));
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">What waits</h2>
      <Rows
        heads={['What', 'How many']}
        rows={rows.map(([name, count]) => [
          name,
          <span class="number">{known.reduce((sum, status) => sum + count(status), 0)}</span>,
        ])}
      />
      {silent.length === 0 ? null : <p class="note">Without {silent.join(', ')}: no answer.</p>}
    </section>
  );
}
