/** Replays, as the store holds them. [operator-interface §3: Additive paths] */
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { KeptDelivery, PendingDelivery } from '../ports/store.ts';
import { retryUntilStored } from './retry-until-stored.ts';
import type { ChannelPorts, ChannelWork, EffectNamed } from './channel-ports.ts';

export async function readReplay(
  { replays, ...ports }: ChannelPorts,
  { order: known, after, limit }: EffectNamed<'read-replay'>,
  work: ChannelWork,
): Promise<void> {
  const read = await retryUntilStored({ replays, ...ports }, work, async () => {
    const order = known ?? (await replays.open(work.key));
    if (order === null) return { order, kept: [] };
    const kept = await ports.store.keptDeliveries(work.key, { ...order, after, limit });
    if (kept.length === 0) await replays.end(order.id);
    return { order, kept };
  });
  if (read !== null) work.report({ type: 'replay-read', ...read });
}

/** Throws FencedError. */
export async function revive(
  ports: ChannelPorts,
  { kept, at, ask }: EffectNamed<'revive'>,
  work: ChannelWork,
): Promise<void> {
  const results = await Promise.all(kept.map((delivery) => claim(ports, delivery, at, work)));
  const revived = kept.flatMap((delivery, n) => (results[n] === true ? pendingAgain(delivery, at) : []));
  work.report({ type: 'deliveries-revived', revived, isUncertain: results.includes(null), ask });
}

/** null: the store did not say. */
async function claim(
  { store, log }: ChannelPorts,
  { id: deliveryId, keptSince }: KeptDelivery,
  at: number,
  { key, lease }: ChannelWork,
): Promise<boolean | null> {
  try {
    const write = { write: 'reviveDelivery', deliveryId, keptSince, at } as const;
    const [result] = await store.commit(key, lease.epoch, [write]);
    return result?.applied === true;
  } catch (error) {
    if (error instanceof FencedError) throw error;
    log.warn({ channel: key, delivery: deliveryId, error: asError(error) }, 'delivery.not-revived');
    return null;
  }
}

function pendingAgain({ keptSince: _since, ...delivery }: KeptDelivery, at: number): PendingDelivery {
  return { ...delivery, attempts: 0, firstTriedAt: null, nextDueAt: at };
}
