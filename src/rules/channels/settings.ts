import { namesIn } from '../../kernel/names-in.ts';
import type { SealedText } from '../../kernel/sealed.ts';

/**
 * What an account sets of its channel. A setting has a line here and at first, a column in `storage/entities/channels.ts`, and a descriptor
 * in `features/channels/settings.ts`; the compiler asks for each.
 */
export interface Settings {
  webhookUrl: string | null;
  webhookSecret: SealedText | null;
  /** null: never configured, so no event is delivered. [spec: Events] */
  webhookEvents: string[] | null;
  echoStatuses: boolean;
  /** Days for which the payload of a given-up event is kept; 0: erased at once. [operator-interface §4] */
  failedRetentionDays: number;
  /** Whether the receiver's 2xx answers are kept too. */
  keepAnswers: boolean;
  /** Whether the events of one person are posted one at a time, in order. */
  ordered: boolean;
}

/** Settings of a new channel, and those that a channel stored before a setting existed has. */
export const settingsAtFirst: Readonly<Settings> = {
  webhookUrl: null,
  webhookSecret: null,
  webhookEvents: null,
  echoStatuses: false,
  failedRetentionDays: 0,
  keepAnswers: false,
  ordered: false,
};

export const settingNames: readonly (keyof Settings)[] = namesIn(settingsAtFirst);
