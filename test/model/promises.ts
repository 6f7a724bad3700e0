/** The invariants of every state, and those at rest. [faults: I1-I5, I7, I8] */
import type { ChannelWorld } from './channel-world.ts';
import { isOpen } from '../actors/support/model-messages.ts';

export function brokenSafety(world: ChannelWorld): string[] {
  return [...answers(world), ...copies(world), ...epochs(world), ...duplicates(world)];
}

/** I1, I3 */
function answers({ told, store, calls }: ChannelWorld): string[] {
  const broken: string[] = [];
  for (const [id, answered] of told) {
    const state = store.messages.get(id)?.state ?? 'absent';
    if (answered.length > 1) broken.push(`${id} was answered ${answered.join(' and ')}`);
    if (answered.includes('sent') && state !== 'sent') broken.push(`I1: ${id} told sent is ${state}`);
    if (answered.includes('queued') && (state === 'absent' || state === 'abandoned'))
      broken.push(`I1: ${id} told queued is ${state}`);
    if (answered.includes('refused') && calls.some(({ messageId }) => messageId === id))
      broken.push(`I3: ${id} told 503 was called`);
  }
  return broken;
}

/** I2 */
function copies({ told, calls }: ChannelWorld): string[] {
  const broken: string[] = [];
  for (const id of told.keys()) {
    const made = calls.filter(
      ({ messageId, became }) => messageId === id && became !== 'refused' && became !== 'deferred',
    );
    if (made.length > 2) broken.push(`I2: ${made.length} copies of ${id}`);
  }
  return broken;
}

/** I7, I8 */
function epochs({ store, highest }: ChannelWorld): string[] {
  const broken: string[] = [];
  for (const each of [...store.messages.values(), ...store.deliveries.values()]) {
    const rank = 'rank' in each ? each.rank : 0;
    const seen = highest.get(each.id) ?? { epoch: 0, rank: 0 };
    if (each.epoch < seen.epoch) broken.push(`I7: ${each.id} went from epoch ${seen.epoch} to ${each.epoch}`);
    if (rank < seen.rank) broken.push(`I8: ${each.id} went from rank ${seen.rank} to ${rank}`);
    highest.set(each.id, { epoch: Math.max(seen.epoch, each.epoch), rank: Math.max(seen.rank, rank) });
  }
  return broken;
}

/** I5: one more POST for each lost owner; one whose answer was lost is retried, by the schedule. */
function duplicates({ posts, losses }: ChannelWorld): string[] {
  return [...posts].flatMap(([id, { ok, unheard }]) =>
    ok > 1 + losses + unheard
      ? [`I5: ${id} arrived ${ok} times, ${losses} owners lost, ${unheard} unheard`]
      : [],
  );
}

/** I1, I4 */
export function brokenAtRest({ store, posts, events }: ChannelWorld): string[] {
  const broken: string[] = [];
  for (const message of store.messages.values()) {
    const { id, state } = message;
    if (isOpen(message)) broken.push(`I1: ${id} is left ${state}`);
    const isTold = [...store.deliveries.values()].some(
      ({ messageId, event }) => messageId === id && event === 'message.sent',
    );
    if (state === 'sent' && message.rank === 1 && events.includes('message.sent') && !isTold)
      broken.push(`I4: ${id} was sent, and no event says so`);
  }
  for (const { id, state } of store.deliveries.values()) {
    if (state === 'pending') broken.push(`I4: ${id} is left pending`);
    if (state === 'delivered' && (posts.get(id)?.ok ?? 0) === 0) broken.push(`I4: ${id} never arrived`);
    if (state === 'failed' && !store.mails.some(({ kind }) => kind === 'webhook-alert'))
      broken.push(`I4: ${id} failed unsaid`);
  }
  return broken;
}
