import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import type { SetupSession } from './entity.ts';

/** A choice that was made, and where it led. */
export interface FinishedChoice {
  session: Pick<SetupSession, 'accountId' | 'apiKeyId' | 'redirectUri'>;
  /** null: the choice led to no code. */
  codeHash: string | null;
  /** null: redirect_uri was no longer whitelisted. */
  next: string | null;
}

/** Choices by state and asset, for as long as a double click takes, or a browser that repeats a form; null: there was no such choice. */
export type FinishedChoices = ShortLivedCache<Promise<FinishedChoice | null>>;

export const finishedChoices = (clock: Clock): FinishedChoices =>
  new ShortLivedCache({ max: 10_000, ttlMs: minuteMs, clock });
