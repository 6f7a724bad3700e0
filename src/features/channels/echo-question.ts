/**
 * Whether a channel has echoes: its stored profile says no, but an echo has come. The number may have joined the phone's app since.
 * [operator-interface §4: echoes]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { asError } from '../../kernel/faults.ts';
import type { EchoAnswer } from '../../rules/outside.ts';
import type { World } from '../world.ts';

/** Asks upstream, and renews the profile. The answer is never older than this call. Never throws. */
export async function askForEchoes(
  { probes, stores, log }: World,
  given: Channel,
  requestId?: string,
): Promise<EchoAnswer> {
  try {
    const channel = await stores.channels.byId(given.id);
    if (channel === null || !channel.isActive || channel.token === null) return 'unanswerable';
    const state = await probes.probeAnew(channel, requestId);
    if (state === null) return 'unanswered';
    if (state.token === 'refused') return 'unanswerable';
    const { profile, channelType } = (await stores.channels.byId(channel.id)) ?? channel;
    if (kindOf(channelType).hasEchoes(profile)) return 'has-echoes';
    // What is known is older than the echo: an answer that leaves the question out drops nothing.
    return state.saysEchoes ? 'has-none' : 'unanswerable';
  } catch (thrown) {
    log.info({ channel: given.id, request_id: requestId, error: asError(thrown) }, 'echoes.not-asked');
    return 'unanswered';
  }
}
