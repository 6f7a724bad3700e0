/** What is wrong with the app's own webhook subscription for a kind of channel. [operator-interface §4: app-level webhooks missing] */
import type { NewProblem } from '../../rules/channels/upstream-problems.ts';

/**
 * `right`; `elsewhere`: another callback is there, which is never touched; `lacking`: none is there, or without fields that the contract
 * needs; `off`: upstream has switched it off.
 */
type AppWebhookState = 'right' | 'elsewhere' | 'lacking' | 'off';

/** As it was when upstream was last asked. */
export interface KnownAppWebhooks {
  state: AppWebhookState;
  /** Fields that the contract needs and that are missing. */
  missing: readonly string[];
  /** Why it could not be mended, with upstream's words; null: it was not tried, or is right. */
  why: string | null;
}

interface Seen {
  callbackUrl: string | null;
  isActive: boolean;
  missing: { required: readonly string[] };
}

export function judgeAppWebhooks(seen: Seen, ourCallback: string): AppWebhookState {
  if (seen.callbackUrl === null) return 'lacking';
  if (!isSameUrl(seen.callbackUrl, ourCallback)) return 'elsewhere';
  if (!seen.isActive) return 'off';
  return seen.missing.required.length > 0 ? 'lacking' : 'right';
}

function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}

/** For the health of every channel of the kind; null: none. */
export function problemOf({ state, missing, why }: KnownAppWebhooks): NewProblem | null {
  const because = why === null ? '' : ` (${why})`;
  switch (state) {
    case 'right':
      return null;
    case 'elsewhere':
      return { code: 'app_webhooks_elsewhere' };
    case 'off':
      return {
        code: 'app_webhooks_missing',
        detail: `Upstream has switched off the events of such channels for the operator's app${because}`,
      };
    case 'lacking':
      return {
        code: 'app_webhooks_missing',
        detail: `The operator's app at upstream is not subscribed to ${missing.join(', ')}${because}`,
      };
    default:
      return state satisfies never;
  }
}
