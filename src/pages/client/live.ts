/** Live events as the service streams them to the page's session. */
import { readServed } from './served.ts';

/** An event, or a delivery that ended while the page was disconnected. */
export interface Line {
  id: string;
  /** When its delivery began: lines are in this order within a channel, not across channels. */
  since: string;
  at: string;
  event: string;
  type: string;
  channelId: string;
  messageId: string;
  words: string;
}

export type Sight = 'connecting' | 'connected' | 'lost' | 'refused';

interface Watcher {
  say: (sight: Sight) => void;
  line: (line: Line) => void;
  /** Called after all that was missed during a lost connection. */
  gap: (missed: number) => void;
}

const mostKnown = 20_000;
const retryMs = 3_000;

/** Follows the stream while the page is open; after a lost connection it continues where it was. */
export class Feed {
  readonly #watcher: Watcher;
  readonly #address: URL;
  readonly #known = new Set<string>();
  #isFirst = true;
  /** Lines since the catch-up began; null: there is none. */
  #missed: number | null = null;

  /** `address`: of the stream, with the time from which on events are replayed first. */
  constructor(watcher: Watcher, address: string) {
    this.#watcher = watcher;
    this.#address = new URL(address, location.origin);
  }

  open(): void {
    this.#watcher.say(this.#isFirst ? 'connecting' : 'lost');
    const source = new EventSource(this.#address);
    const on = (name: string, hear: (said: string) => void): void =>
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') this.#address.searchParams.set('since', lastEventId);
        hear(data);
      });
    source.addEventListener('open', () => this.#watcher.say('connected'));
    source.addEventListener('error', () => void this.#lost(source));
    on('line', (said) => this.#line(JSON.parse(said)));
    on('catching_up', () => (this.#missed = 0));
    on('caught_up', () => {
      if (this.#missed !== null && !this.#isFirst) this.#watcher.gap(this.#missed);
      this.#missed = null;
      this.#isFirst = false;
    });
  }

  #line(line: Line): void {
    if (this.#known.has(line.id)) return;
    this.#known.add(line.id);
    const [oldest] = this.#known;
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    if (this.#missed !== null) this.#missed += 1;
    this.#watcher.line(line);
  }

  /** The browser connects again by itself, unless the service refused it: then its session may have ended. */
  async #lost(source: EventSource): Promise<void> {
    this.#watcher.say('lost');
    if (source.readyState !== EventSource.CLOSED) return;
    if ((await readServed()) === 'signed out') return this.#watcher.say('refused');
    setTimeout(() => this.open(), retryMs);
  }
}
