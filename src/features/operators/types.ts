/** What operators are shown. */
import type { ChannelInsight } from '../../../actors/channel/asks.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth, HealthProblem } from '../../rules/channels/health.ts';
import type { Account, ApiKey } from '../accounts/index.ts';
import type { ChannelWithLicence, ChannelWithHealth } from '../channels/index.ts';
import type { SubscriptionWithChannels } from '../licences/index.ts';
import type { Member } from '../people/index.ts';

/** A channel's state at its owner. */
export type InspectedChannel = ChannelInsight & { channelId: string; nodeId: string };

export interface ChannelDiagnosis extends ChannelWithHealth {
  /** Beside its own webhook, oldest first. */
  endpoints: readonly DiagnosedEndpoint[];
  queue: InspectedChannel | null;
  /** By code, latest first. */
  errors: readonly ChannelError[];
}

/** Times in ms; null: none. */
export interface DiagnosedEndpoint {
  id: string;
  url: string;
  disabledAt: number | null;
  failingSince: number | null;
  lastFailure: string | null;
}

/** `words`: our sentence for the code; null: none. */
export interface ChannelError {
  of: 'send' | 'delivery';
  code: string;
  words: string | null;
  count: number;
  lastAt: number;
}

export interface FailingChannel {
  channel: Channel;
  health: ChannelHealth;
}

/** A channel's own webhook, or an endpoint of it, whose health it then is. */
export interface FailingReceiver extends FailingChannel {
  /** null: its own. */
  endpointId: string | null;
  url: string;
}

/** `problems`: at upstream, the most basic first. */
export interface TroubledChannel {
  channel: Channel;
  problems: readonly HealthProblem[];
}

/** `keys`: unrevoked keys, newest first. */
export interface AccountInsight {
  account: Account;
  keys: ApiKey[];
  subscriptions: SubscriptionWithChannels[];
  channels: ChannelWithLicence[];
  /** Oldest first. */
  people: Member[];
  /** Of channels that are listed, and others. */
  channelsTotal: number;
}

/** `since`: start of the previous hour. `worst`: the accounts with most events, most first. */
export interface GivenUpLately {
  since: number;
  events: number;
  accounts: number;
  worst: { account: Account; events: number }[];
  isCut: boolean;
}
