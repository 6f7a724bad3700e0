import type { GraphError } from './graph-error.ts';

/** Items per page, tried in this order: upstream refuses a page whose items, with their expansions, are too much data. */
const sizes = ['100', '25', '10'] as const;

/**
 * Upstream's code for too much data, and for any error it has no other code for. Its words say which, in the language of the token's
 * person, so the code alone decides: an unknown error costs two more reads. [upstream §3.6]
 */
const tooMuchData = 1;

/** The page size of one list; it shrinks for the rest of the list when upstream refuses a page as too much data. */
export class PageSize {
  #at = 0;

  /** The parameter `limit` of the next page. */
  get limit(): string {
    return sizes[this.#at] ?? sizes[0];
  }

  /** Asks for a page, again with a smaller size while upstream finds it too large: at most three times for a list's first page. */
  async attempt<T extends { ok: true } | { ok: false; error: GraphError }>(
    ask: (limit: string) => Promise<T>,
  ): Promise<T> {
    let attempted = await ask(this.limit);
    while (!attempted.ok && this.#shrinks(attempted.error)) attempted = await ask(this.limit);
    return attempted;
  }

  #shrinks({ code }: GraphError): boolean {
    if (code !== tooMuchData || this.#at === sizes.length - 1) return false;
    this.#at += 1;
    return true;
  }
}
