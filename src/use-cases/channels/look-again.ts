/** What upstream's posts make us ask of a channel anew. No webhook carries it: it is read from upstream. [upstream §4.6] */
import type { Channel } from '../../domain/channels/channel.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import type { ChannelFact, NumberFact } from '../../domain/messages/facts.ts';
import { asError, fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { ChannelProber } from '../ports/health.ts';
import type { JobPayloads } from '../ports/jobs.ts';

/** Numbers of one business account. */
const maxOnAsset = 200;

/**
 * [operator-interface §4: echoes] A number that is known as used through the cloud API alone sends an echo: it may have moved into
 * the phone's app since. Asked before its owner takes the echo; where upstream does not answer, what is known stands.
 */
export async function askAboutEchoes(
  probes: ChannelProber,
  channel: Channel,
  facts: readonly ChannelFact[],
): Promise<void> {
  if (kindOf(channel.channelType).hasEchoes(channel.profile)) return;
  const echo = facts.find(({ kind }) => kind === 'echo');
  if (echo !== undefined) await probes.askWhenOld(channel, echo.requestId);
}

/** Never throws: what is not asked for now, the periodic look at all channels asks for. */
export async function lookAgainLater(
  deps: UseCaseDeps,
  facts: readonly NumberFact[],
  requestId?: string,
): Promise<void> {
  const numbersOn = new Map<string, Set<string>>();
  for (const { businessAccountId, phoneNumber } of facts) {
    const numbers = numbersOn.get(businessAccountId) ?? new Set();
    numbersOn.set(businessAccountId, numbers.add(phoneNumber));
  }
  try {
    for (const [asset, numbers] of numbersOn)
      for (const channel of await deps.stores.channels.activeOn(asset, maxOnAsset))
        if (numbers.has(readDigits(channel)))
          await deps.jobs.enqueue('look-at-channel', { channelId: channel.id, requestId });
  } catch (thrown) {
    deps.log.info({ request_id: requestId, error: asError(thrown) }, 'channel.look-not-queued');
  }
}

/** As people write it: `+1 555-010-0042`. */
function readDigits({ channelType, profile }: Channel): string {
  return (kindOf(channelType).publicFields(profile).phone_number ?? '').replaceAll(/[^0-9]/g, '');
}

/** The job. Throws Fault `upstream_failed`: it is tried again. */
export async function lookAtChannel(
  { stores, probes }: UseCaseDeps,
  { channelId, requestId }: JobPayloads['look-at-channel'],
): Promise<void> {
  const channel = await stores.channels.byId(channelId);
  if (channel === null || !channel.isActive || channel.token === null) return;
  if ((await probes.probe(channel, requestId)) === null) throw fault('upstream_failed');
}
