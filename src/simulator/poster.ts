import { Pool, type Dispatcher } from 'undici';

const connections = 128;

/** Target of the POSTs to one URL: the origin's kept-alive connections, and the path. */
type Target = { readonly pool: Pool; readonly path: string };

/**
 * POSTs over kept-alive connections, with one pool for each origin. It uses undici's handler interface: only the status of an answer is
 * needed, and a stream and a promise for each would be half the cost of a webhook.
 */
export class Poster {
  #pools = new Map<string, Pool>();
  #targets = new Map<string, Target>();

  /** Calls `answered` once with the status code; 0 when no answer came in time. */
  post(
    url: string,
    headers: Record<string, string | string[]>,
    body: string,
    timeoutMs: number,
    answered: (status: number) => void,
  ): void {
    const { pool, path } = this.#target(url);
    const waits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    pool.dispatch({ method: 'POST', path, headers, body, ...waits }, new StatusHandler(answered));
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    this.#targets.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #target(url: string): Target {
    const known = this.#targets.get(url);
    if (known) return known;
    const { origin, pathname, search } = new URL(url);
    const pool =
      this.#pools.get(origin) ??
      new Pool(origin, { connections, keepAliveTimeout: 30_000, connect: { timeout: 5_000 } });
    this.#pools.set(origin, pool);
    const target = { pool, path: pathname + search };
    this.#targets.set(url, target);
    return target;
  }
}

class StatusHandler implements Dispatcher.DispatchHandler {
  readonly #answered: (status: number) => void;
  #status = 0;

  constructor(answered: (status: number) => void) {
    this.#answered = answered;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(): void {}

  onResponseEnd(): void {
    this.#answered(this.#status);
  }

  onResponseError(): void {
    this.#answered(0);
  }
}
