import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';
import { dayMs } from '../../kernel/clock.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';

export const setupSessions = entity<SetupSession>('setup_sessions', {
  fields: {
    id: text(),
    accountId: text(),
    apiKeyId: text(),
    channelType: text(),
    redirectUri: text(),
    tokenHash: text(),
    expiresAt: integer({ isDate: true }),
    finishedAt: integerOrNull(),
    channelId: textOrNull(),
    choice: textOrNull(),
    origin: jsonOrNull(),
    ending: textOrNull(),
  },
  indexes: {
    // A day late on purpose: queries compare the time themselves, and housekeeping erases expired sessions within a minute; the index
    // cleans up where no node has run for a while.
    byExpiry: {
      on: ['expiresAt'],
      file: 'setup_sessions_by_expiry',
      database: 'expiry',
      expiresAfterMs: dayMs,
    },
    ofAccount: {
      on: ['accountId', 'expiresAt', 'id'],
      file: 'setup_sessions_of_account',
      database: 'of_account',
    },
  },
});

/** A started setup flow. Times in ms. */
export interface SetupSession {
  id: string;
  accountId: string;
  apiKeyId: string;
  channelType: ChannelType;
  redirectUri: string;
  /** SHA-256 of the unguessable token that the setup URL and `state` carry. */
  tokenHash: string;
  expiresAt: number;
  finishedAt: number | null;
  /** The one channel that may be reconnected; null: the flow connects a new channel or revives an inactive one. */
  channelId: string | null;
  /**
   * Set if the dialog returned several assets: JSON of the assets that the person may choose from, with their tokens.
   * Such a session has a token of its own, and the person's choice finishes it.
   */
  choice: SealedText | null;
  /** Only with `choice`: the session of the setup URL from which this session follows. */
  origin: Pick<SetupSession, 'id' | 'tokenHash'> | null;
  /** Only with `choice`, once it has finished the session: JSON of what was chosen and where it led. */
  ending: SealedText | null;
}
