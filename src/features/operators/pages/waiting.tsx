import type { VNode } from 'preact';
import type { NodeInsight } from '../../../ownership/cluster-view.ts';
import { Rows } from '../../../pages/list/rows.tsx';
import { Distance } from '../../../pages/time.tsx';

type Status = NonNullable<NodeInsight['status']>;

interface WaitingRow {
  name: string;
  count: (status: Status) => number;
  oldestMs: (status: Status) => number;
}

const rows: readonly WaitingRow[] = [
  {
    name: 'Sends: for a place, their turn, an answer or proof',
    count: ({ sendsOpen }) => sendsOpen,
    oldestMs: ({ oldestSendMs }) => oldestSendMs,
  },
  {
    name: 'Events to deliver',
    count: ({ deliveriesPending }) => deliveriesPending,
    oldestMs: ({ oldestDeliveryMs }) => oldestDeliveryMs,
  },
];

/** What waits, summed over all nodes. */
export function Waiting({ nodes, now }: { nodes: readonly NodeInsight[]; now: number }): VNode {
  const known = nodes.flatMap(({ status }) => (status === null ? [] : [status]));
  const silent = nodes.flatMap(({ nodeId, status }) => (status === null ? [nodeId] : []));
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">What waits</h2>
      <Rows
        heads={['What', 'How many', 'Oldest']}
        rows={rows.map(({ name, count, oldestMs }) => {
          const number = known.reduce((sum, status) => sum + count(status), 0);
          const oldest = Math.max(0, ...known.map(oldestMs));
          return [
            name,
            <span class="number">{number}</span>,
            number === 0 ? <span class="dim">none</span> : <Distance at={now - oldest} now={now} />,
          ];
        })}
      />
      {silent.length === 0 ? null : <p class="note">Without {silent.join(', ')}: no answer.</p>}
    </section>
  );
}
