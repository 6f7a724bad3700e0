/** Live events over a plain WebSocket with socket.io's protocol. The page's session authenticates it. */
import { basePath } from './dom.ts';
import { readServed } from './served.ts';

export interface Envelope {
  event: string;
  channel_id: string;
  channel_type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** A delivery that ended while the page was disconnected. */
export interface Entry {
  webhook_id: string;
  event: string;
  channel_id: string;
  channel_type: string;
  message_id: string;
  state: string;
  created_at: string;
}

export type Sight = 'connecting' | 'connected' | 'lost' | 'refused';

interface Watcher {
  say: (sight: Sight) => void;
  /** `at`: when its delivery began. Missed events are in this order within a channel, not across channels. */
  event: (event: Envelope, at: string) => void;
  logged: (entry: Entry) => void;
  /** Called after all missed events were replayed. */
  gap: (missed: { again: number; ended: number; isFirst: boolean }) => void;
}

const mostKnown = 20_000;
const retryMs = { first: 500, most: 10_000 };
/** The service pings every 25 s; if it is silent for longer, it is gone, even if the connection looks open. */
const silentMs = 50_000;

/** Follows the feed while the page is open; after a lost connection it continues where it was. */
export class Feed {
  readonly #watcher: Watcher;
  readonly #known = new Set<string>();
  #since: string | null = null;
  #isFirst = true;
  #isCatchingUp = true;
  #missed: { again: number; ended: number } | null = null;
  #socket: WebSocket | null = null;
  #tries = 0;
  #silence = 0;

  /** `since`: events from this time on are replayed first. */
  constructor(watcher: Watcher, since: string | null = null) {
    this.#watcher = watcher;
    this.#since = since;
  }

  open(): void {
    this.#watcher.say(this.#isFirst ? 'connecting' : 'lost');
    const address = location.origin.replace(/^http/, 'ws');
    const socket = new WebSocket(`${address}${basePath}/live/socket.io/?EIO=4&transport=websocket`);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => this.#take(socket, data));
    socket.addEventListener('close', () => this.#closed(socket));
  }

  #closed(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#isCatchingUp = true;
    this.#watcher.say('lost');
    const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** this.#tries);
    this.#tries += 1;
    setTimeout(() => void this.#reopen(), waitMs);
  }

  /** The new connection would take the session of this moment, which may be that of another person. */
  async #reopen(): Promise<void> {
    if ((await readServed()) === 'signed out') this.#watcher.say('refused');
    else this.open();
  }

  #take(socket: WebSocket, packet: string): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.close(), silentMs);
    if (packet.startsWith('0'))
      socket.send(`40/live,${JSON.stringify(this.#since === null ? {} : { since: this.#since })}`);
    else if (packet === '2') socket.send('3');
    else if (packet.startsWith('40/live')) this.#letIn();
    else if (packet.startsWith('44/live')) this.#refused(socket, JSON.parse(packet.slice('44/live,'.length)));
    else if (packet.startsWith('41/live')) socket.close();
    else if (packet.startsWith('42/live,')) this.#hear(JSON.parse(packet.slice('42/live,'.length)));
  }

  #letIn(): void {
    this.#tries = 0;
    this.#watcher.say('connected');
  }

  /** An ended session does not come back; any other refusal is retried. */
  #refused(socket: WebSocket, refusal: { data?: { code?: string } }): void {
    if (refusal.data?.code !== 'unauthorized') return socket.close();
    this.#socket = null;
    socket.close();
    this.#watcher.say('refused');
  }

  #hear([name, said, delivery]: [string, never, { webhook_id: string; at: string }?]): void {
    if (name === 'event' && delivery !== undefined) this.#event(said, delivery);
    else if (name === 'logged') this.#logged(said);
    else if (name === 'catching_up') this.#catchingUp(said);
    else if (name === 'caught_up') this.#caughtUp(said);
  }

  #event(event: Envelope, { webhook_id: id, at }: { webhook_id: string; at: string }): void {
    if (!this.#isCatchingUp) this.#since = at;
    if (!this.#isNew(id)) return;
    if (this.#missed !== null) this.#missed.again += 1;
    this.#watcher.event(event, at);
  }

  #logged(entry: Entry): void {
    if (!this.#isNew(entry.webhook_id)) return;
    if (this.#missed !== null) this.#missed.ended += 1;
    this.#watcher.logged(entry);
  }

  #catchingUp({ since }: { since: string }): void {
    this.#isCatchingUp = true;
    this.#since = since;
    this.#missed = { again: 0, ended: 0 };
  }

  /** From here on every event moves the cursor at which a reconnect continues. */
  #caughtUp({ at }: { at: string }): void {
    this.#isCatchingUp = false;
    this.#since = at;
    if (this.#missed !== null) this.#watcher.gap({ ...this.#missed, isFirst: this.#isFirst });
    this.#missed = null;
    this.#isFirst = false;
  }

  #isNew(id: string): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    if (this.#known.size > mostKnown) {
      const [oldest] = this.#known;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return true;
  }
}
