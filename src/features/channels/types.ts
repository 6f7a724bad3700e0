/** An account's connected channels. */
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Settings } from '../../rules/channels/settings.ts';
import type { ChannelHealth, HealthProblem } from '../../rules/channels/health.ts';

export interface ChannelWithLicence {
  channel: Channel;
  subscription: Subscription | null;
}

/** Settings as a client gives them: the secret is plain text. undefined leaves a field unchanged. */
export type WebhookPatch = Partial<Omit<Settings, 'webhookSecret'> & { webhookSecret: string | null }>;

/** `webhookSecret` is plain text; null unless this call set or generated it. */
export interface ChannelWithSecret {
  channel: Channel;
  webhookSecret: string | null;
}

export interface ChannelHealthAnswer {
  channel: Channel;
  health: ChannelHealth;
  problems: readonly HealthProblem[];
}

export interface ChannelWithHealth extends ChannelWithLicence {
  health: ChannelHealth;
  problems: readonly HealthProblem[];
}
