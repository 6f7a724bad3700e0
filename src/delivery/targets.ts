import { writeOrigin, webhookTargetProblem } from '../rules/webhooks/url.ts';
import type { WebhookUrlRules } from '../rules/webhooks/url.ts';
import { lruCache } from '../kernel/lru-cache.ts';

/** Most URLs in the cache; about 300 B each. */
const maxKnown = 2_048;

interface Target {
  origin: string;
  /** Path and query. */
  path: string;
}

/**
 * Checks where a webhook may go. A URL is checked at each attempt, because the setting may be older than the rules. The check looks at the
 * URL's text alone, so its result is cached for the life of the process; the addresses of its host are checked when dialled.
 */
export class Targets {
  readonly #rules: WebhookUrlRules;
  readonly #ownOrigins: ReadonlySet<string>;
  readonly #known = lruCache<Target | 'url' | 'loop'>(maxKnown);

  constructor(rules: WebhookUrlRules, ownOrigins: readonly string[]) {
    this.#rules = rules;
    this.#ownOrigins = new Set(ownOrigins.map((url) => writeOrigin(new URL(url))));
  }

  /** Returns the target, or why nothing may be sent there. [faults: 61, 90] */
  of(text: string): Target | 'url' | 'loop' {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const target = this.#judge(text);
    this.#known.set(text, target);
    return target;
  }

  #judge(text: string): Target | 'url' | 'loop' {
    if (webhookTargetProblem(text, this.#rules) !== null) return 'url';
    const url = new URL(text);
    return this.#ownOrigins.has(writeOrigin(url))
      ? 'loop'
      : { origin: url.origin, path: url.pathname + url.search };
  }
}
