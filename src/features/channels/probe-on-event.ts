/** Probes triggered by upstream's events: the changed state is in no webhook and must be read from upstream. [upstream §4.6] */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { NumberFact } from '../../rules/messages/facts.ts';
import { commonForm, digitsOf } from '../../rules/phone-number.ts';
import { inTurns } from '../../kernel/clock.ts';
import { asError, fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import type { JobPayloads } from '../../jobs/queued.ts';
import { mailReconnect, refusedTokenCode } from './refused-tokens.ts';

/** Most numbers of one business account. */
export const maxOnAsset = 200;
/** Takes about 2 ms: a POST may name thousands of business accounts. [faults: 94] */
const assetsPerTurn = 50;

/** Enqueues probes of the reported numbers. Never throws: the periodic check covers a channel that is missed here. */
export async function enqueueProbes(
  world: World,
  facts: readonly NumberFact[],
  requestId?: string,
): Promise<void> {
  const numbersOn = new Map<string, Set<string>>();
  for (const { businessAccountId, phoneNumber } of facts) {
    const numbers = numbersOn.get(businessAccountId) ?? new Set();
    numbersOn.set(businessAccountId, numbers.add(commonForm(phoneNumber)));
  }
  try {
    for await (const [asset, numbers] of inTurns(numbersOn, assetsPerTurn)) {
      for (const channel of await world.stores.channels.activeOn(asset, maxOnAsset))
        if (numbers.has(commonForm(readDigits(channel))))
          await world.jobs.enqueue('look-at-channel', { channelId: channel.id, requestId });
    }
  } catch (thrown) {
    world.log.info({ request_id: requestId, error: asError(thrown) }, 'channel.look-not-queued');
  }
}

/** `phone_number` is formatted for people: `+1 555-010-0042`. */
export function readDigits({ channelType, profile }: Channel): string {
  return digitsOf(kindOf(channelType).publicFields(profile).phone_number ?? '');
}

/** Worker of the job; the owner of a channel whose token has died is told, once per token. Throws Fault `upstream_failed`; then the job is retried. */
export async function runProbe(
  world: World,
  { channelId, requestId }: JobPayloads['look-at-channel'],
): Promise<void> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null || !channel.isActive || channel.token === null) return;
  const state = await world.probes.probe(channel, requestId);
  if (state === null) throw fault('upstream_failed');
  if (state.token === 'refused') await mailReconnect(world, channel, refusedTokenCode);
}
