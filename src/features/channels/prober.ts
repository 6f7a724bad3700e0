import type { Channel } from '../../rules/channels/channel.ts';
import type { UpstreamState } from '../../rules/channels/health.ts';
import type { Probed } from '../../upstream/health-calls.ts';

export type ProbeAnswer = UpstreamState & Pick<Probed, 'saysEchoes'>;

/**
 * Checks a channel's health upstream; concurrent callers share one check. An interface, because `World` has the prober, whose class uses
 * functions that take a `World`.
 */
export interface ChannelProber {
  /** Stores the result, with a changed profile. null: upstream gave no usable answer, or too many checks run. */
  probe(channel: Channel, requestId?: string): Promise<UpstreamState | null>;
  /** As `probe`, but never shares a check that began before this call. */
  probeAnew(channel: Channel, requestId?: string): Promise<ProbeAnswer | null>;
  /** As `probe`, unless the last check is recent. */
  askWhenOld(channel: Channel, requestId?: string): Promise<void>;
}
