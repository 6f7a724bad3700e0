/** What waits in a channel, by stage, and why. */
import type { VNode } from 'preact';
import { Rows } from '../../../pages/list/rows.tsx';
import type { InspectedChannel } from '../types.ts';

const stages: readonly (readonly [field: keyof InspectedChannel, name: string, why: string])[] = [
  [
    'sendsWaiting',
    'Sends that wait',
    'for a place, their turn for the same person, or the end of a pause that the platform asked for',
  ],
  ['sendsOpen', 'Sends under way', 'calls that run, or wait for their next try or for proof'],
  ['deliveriesPending', 'Events to deliver', 'for their next attempt, or behind a receiver that fails'],
  ['factsHeld', 'Statuses held back', 'their message is not known yet; up to 15 minutes'],
  ['filesOpen', 'Files on their way', 'fetched before their message is told'],
];

export function Queue({ queue }: { queue: InspectedChannel | null }): VNode {
  if (queue === null)
    return (
      <section aria-labelledby="queue">
        <h2 id="queue">Queue</h2>
        <p class="note">
          No owner node of the channel can be reached: inbound events are stored, sends are answered with 503.
        </p>
      </section>
    );
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      <p>
        Owned by <code>{queue.nodeId}</code> under epoch {queue.epoch}.
      </p>
      <Rows
        heads={['Stage', 'How many', 'Why']}
        rows={stages.map(([field, name, why]) => [name, queue[field], why])}
      />
    </section>
  );
}
