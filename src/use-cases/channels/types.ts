/** An account's connected channels. */
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelHealth, HealthProblem } from '../../domain/channels/health.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { SenderProfile } from '../ports/profiles.ts';

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
