/** Reads of replays and claims of their deliveries. [operator-interface §3: Additive paths] */
import { FencedError } from '../../../src/kernel/faults.ts';
import type { EffectResult } from '../messages.ts';
import type { KeptDelivery, PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import { tryIntent, untilStored } from './retry-until-stored.ts';
import type { ChannelWork, EffectNamed, OwnPorts } from './channel-ports.ts';

type ReplayRead = Extract<EffectResult, { type: 'replay-read' }>;

export async function readReplay(
  ports: OwnPorts,
  { order: known, after, limit }: EffectNamed<'read-replay'>,
  work: ChannelWork,
): Promise<void> {
  const { replays } = ports;
  const read = async (): Promise<Pick<ReplayRead, 'order' | 'kept'>> => {
    const order = known ?? (await replays.open(work.key));
    if (order === null) return { order, kept: [] };
    const kept = await ports.store.keptDeliveries(work.key, { ...order, after, limit });
    if (kept.length === 0) await replays.end(order.id);
    return { order, kept };
  };
  await untilStored(ports, work, read, (found) => work.report({ type: 'replay-read', ...found }));
}

/** Throws FencedError. */
export async function revive(
  ports: OwnPorts,
  { kept, at, ask }: EffectNamed<'revive'>,
  work: ChannelWork,
): Promise<void> {
  const results = await Promise.all(kept.map((delivery) => claim(ports, delivery, at, work)));
  const revived = kept.flatMap((delivery, n) => (results[n] === true ? pendingAgain(delivery, at) : []));
  work.report({ type: 'deliveries-revived', revived, isUncertain: results.includes(null), ask });
}

/** null when the store did not answer. */
async function claim(
  ports: OwnPorts,
  { id: deliveryId, keptSince }: KeptDelivery,
  at: number,
  work: ChannelWork,
): Promise<boolean | null> {
  try {
    return await tryIntent(ports, work, { write: 'reviveDelivery', deliveryId, keptSince, at });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    ports.storeFailed('delivery.not-revived', error, { channel: work.key, delivery: deliveryId });
    return null;
  }
}

function pendingAgain({ keptSince: _since, ...delivery }: KeptDelivery, at: number): PendingDelivery {
  return { ...delivery, attempts: 0, firstTriedAt: null, nextDueAt: at };
}
