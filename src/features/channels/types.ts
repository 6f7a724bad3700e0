/** An account's connected channels. */
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth, HealthProblem } from '../../rules/channels/health.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { SenderProfile } from '../../upstream/profiles-port.ts';

export interface ChannelWithLicence {
  channel: Channel;
  subscription: Subscription | null;
}

/** undefined leaves a field unchanged. */
export interface WebhookPatch {
  webhookUrl?: string | null;
  webhookSecret?: string | null;
  webhookEvents?: string[] | null;
  echoStatuses?: boolean;
  failedRetentionDays?: number;
  keepAnswers?: boolean;
}

/** `webhookSecret` is plain text; null unless this call set or generated it. */
export interface ChannelWithSecret {
  channel: Channel;
  webhookSecret: string | null;
}

/** [spec: SenderProfileResponse] */
export interface SenderProfileAnswer {
  channelId: string;
  channelType: ChannelType;
  userId: string;
  profile: SenderProfile | null;
  cached: boolean;
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
