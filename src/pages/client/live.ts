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
  /** Of a delivery that has ended: how. */
  state?: string;
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

/**
 * Follows the stream while the page is open; after a lost connection it continues where it was. `path`: of the stream, with the time from
 * which on events are replayed first.
 */
export function follow(path: string, watcher: Watcher): void {
  const address = new URL(path, location.origin);
  const known = new Set<string>();
  let isFirst = true;
  /** Lines since the catch-up began. */
  let missed = 0;

  function hear(line: Line): void {
    if (known.has(line.id)) return;
    const [oldest = ''] = known.add(line.id);
    if (known.size > mostKnown) known.delete(oldest);
    missed += 1;
    watcher.line(line);
  }

  function open(): void {
    watcher.say(isFirst ? 'connecting' : 'lost');
    const source = new EventSource(address);
    const on = (name: string, act: (said: string) => void): void =>
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') address.searchParams.set('since', lastEventId);
        act(data);
      });
    source.addEventListener('open', () => watcher.say('connected'));
    source.addEventListener('error', () => void lose(source));
    on('line', (said) => hear(JSON.parse(said)));
    on('catching_up', () => (missed = 0));
    on('caught_up', () => {
      if (!isFirst) watcher.gap(missed);
      isFirst = false;
    });
  }

  /** The browser connects again by itself, unless the service refused it: then its session may have ended. */
  async function lose(source: EventSource): Promise<void> {
    watcher.say('lost');
    if (source.readyState !== EventSource.CLOSED) return;
    if ((await readServed()) === 'signed out') return watcher.say('refused');
    setTimeout(open, retryMs);
  }

  open();
}
