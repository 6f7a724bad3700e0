/** Clients that send and people that write while a test injects a fault, and the oracle that compares what client, upstream and receiver saw. */
import { setTimeout as wait } from 'node:timers/promises';
import { confirmation, everySend, sendAny } from '../../support/every-send.ts';
import type { ContentName } from '../../support/every-send.ts';
import type { Arrival } from '../../support/inbox.ts';
import { newPerson } from '../../support/sends.ts';
import type { LedgerEntry } from '../../support/sends.ts';
import { until } from '../../support/until.ts';
import type { Channel, World } from '../../support/world.ts';
import { findUnconfirmed } from './unconfirmed.ts';
import { findWrongs } from './wrongs.ts';

/** Settings under which the oracle knows how long an outcome may take; `resendAfterMs` is its argument. */
export const resendAfterMs = 6_000;
export const stormSettings = {
  SEND_QUEUED_AFTER_MS: '3000',
  SEND_RESEND_AFTER_MS: String(resendAfterMs),
  SEND_GIVE_UP_AFTER_MS: '60000',
  WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,1000,1000,1000',
};

/** The outcome of one send request for its client. `gone`: no answer came, or none of the service itself; `wrong`: an unexpected status. */
export interface Ended {
  channel: Channel;
  recipient: string;
  status: 'sent' | 'queued' | 'failed' | 'refused' | 'gone' | 'wrong';
  code: number;
  /** The `detail` of a refusal. */
  why: string | null;
  messageId: string | null;
  startedAt: number;
  endedAt: number;
}

/** A message of a person, by the sender's address. */
interface Written {
  channel: Channel;
  from: string;
  startedAt: number;
}

/** The system under the storm: the service as its clients see it, and its processes, which keep a log. */
export interface Stormed {
  readonly world: World;
  readonly nodes: readonly { readonly id: string; takeErrors(): string[] }[];
}

const writeEvery = 4;
/** Pause of a client between two sends, so that a small machine has CPU time for the service. */
const pauseMs = 20;

interface Load {
  /** The number of clients; each sends its next message as soon as it has an answer. */
  clients: number;
  contents: readonly ContentName[];
  /** Of all clients together; a send is due at its time, whatever became of the earlier ones. */
  perSecond?: number;
}

export class Storm {
  readonly ended: Ended[] = [];
  readonly written: Written[] = [];
  readonly #cluster: Stormed;
  readonly #channels: readonly Channel[];
  readonly #workers: Promise<void>[];
  #isOver = false;

  readonly #load: Load;

  /** Starts the load at once: through the balancer, with the contents in turn. */
  constructor(
    cluster: Stormed,
    channels: readonly Channel[],
    load: Load = { clients: 6, contents: ['text'] },
  ) {
    this.#cluster = cluster;
    this.#load = load;
    this.#channels = channels;
    const startedAt = performance.now();
    this.#workers = Array.from({ length: load.clients }, (_, worker) => this.#work(worker, startedAt));
  }

  /** Resolves once this many further sends of every channel have been answered `sent`. */
  async flows(perChannel: number, withinMs = 60_000): Promise<void> {
    const from = performance.now();
    const isSince = ({ status, startedAt }: Ended): boolean => status === 'sent' && startedAt >= from;
    await until(
      `${perChannel} sends of every channel (${this.counts()})`,
      () =>
        this.#channels.every(
          (channel) =>
            this.ended.filter((one) => one.channel === channel && isSince(one)).length >= perChannel,
        ),
      withinMs,
    );
  }

  /**
   * Resolves once every channel has had a complete send and a complete inbound message that began after this call: the send is `sent` and
   * the client has its status, the client has the person's message.
   */
  async serves(): Promise<void> {
    const [from, seen] = [performance.now(), this.#cluster.world.inbox.arrivals.length];
    await until(
      `a send, its status and an inbound message of every channel (${this.counts()})`,
      () => {
        const events = this.#cluster.world.inbox.arrivals.slice(seen).map(({ event }) => event);
        return this.#channels.every((channel) => this.#isServed(channel, events, from));
      },
      60_000,
    );
  }

  #isServed(channel: Channel, events: readonly Arrival['event'][], from: number): boolean {
    const valuesOf = (event: string, member: string): Set<unknown> =>
      new Set(events.filter((one) => one.event === event).map(({ data }) => data[member]));
    const told = valuesOf(confirmation[channel.type], 'message_id');
    const heard = valuesOf('message.received', 'from');
    const isOwn = (one: { channel: Channel; startedAt: number }): boolean =>
      one.channel === channel && one.startedAt >= from;
    return (
      this.ended.some((one) => isOwn(one) && one.status === 'sent' && told.has(one.messageId)) &&
      this.written.some((one) => isOwn(one) && heard.has(one.from))
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  /** The sends that were answered 503, except for those that an overloaded machine causes. */
  refused(): Ended[] {
    return this.ended.filter(
      ({ status, why }) => status === 'refused' && why?.includes('overloaded') !== true,
    );
  }

  counts(): string {
    const counts = new Map<string, number>();
    for (const { status, code, why } of this.ended) {
      const name = status === 'refused' || status === 'wrong' ? `${status} ${code} ${why ?? ''}` : status;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].map(([name, count]) => `${name}: ${count}`).join(', ');
  }

  /** The longest time between two successful sends of a channel, ms, over all channels. */
  longestGap(): number {
    const gaps = this.#channels.map((channel) => {
      const times = this.ended
        .filter((one) => one.channel === channel && one.status === 'sent')
        .map(({ endedAt }) => endedAt)
        .toSorted((a, b) => a - b);
      return Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    });
    return Math.round(Math.max(...gaps));
  }

  async #work(worker: number, startedAt: number): Promise<void> {
    const { clients, perSecond, contents } = this.#load;
    for (let round = 0; !this.#isOver; round += 1) {
      const n = worker + round;
      const channel = this.#channels[n % this.#channels.length];
      if (channel === undefined) return;
      if (perSecond !== undefined)
        await waitUntil(startedAt + ((worker + round * clients) * 1_000) / perSecond);
      const ended = await this.#send(channel, contentOf(contents, channel, n));
      this.ended.push(ended);
      // Counted by rounds over the channels, so that people write to each of them.
      if (Math.floor(n / this.#channels.length) % writeEvery === 0) await this.#write(channel);
      if (perSecond === undefined) await wait(pauseMs);
    }
  }

  async #send(channel: Channel, content: ContentName): Promise<Ended> {
    const recipient = newPerson(channel.type);
    const startedAt = performance.now();
    const end = (
      status: Ended['status'],
      code: number,
      { messageId = null, why = null }: Partial<Pick<Ended, 'messageId' | 'why'>> = {},
    ): Ended => {
      return { channel, recipient, status, code, why, messageId, startedAt, endedAt: performance.now() };
    };
    try {
      const { service, simulator } = this.#cluster.world;
      const { status, body } = await sendAny(service, simulator, channel, content, recipient);
      if (status === 200) return end(body.status, 200, { messageId: body.message_id });
      if (status === 503 || status === 429) return end('refused', status, { why: String(body.detail) });
      return end(status === 502 ? 'gone' : 'wrong', status); // 502 comes from the balancer
    } catch {
      return end('gone', 0);
    }
  }

  async #write(channel: Channel): Promise<void> {
    const [from, startedAt] = [newPerson(channel.type), performance.now()];
    await this.#cluster.world.write(channel, { text: 'hello from the storm' }, from);
    this.written.push({ channel, from, startedAt });
  }

  /** Resolves once every send is in a terminal state, no delivery is pending and no webhook of upstream waits. */
  async settled(withinMs = 40_000): Promise<void> {
    const { world } = this.#cluster;
    const { simulator } = world;
    await until(
      'the channels to settle',
      async () => {
        const { webhooks_waiting: waiting } = await simulator.control('sends/summary');
        const asked = this.#channels.map(({ id }) => world.service.admin('GET', `/channels/${id}`));
        const answers = await Promise.all(asked);
        const unheard = this.#unheard();
        const open = answers.map(({ body }) => [body?.sends_open, body?.deliveries_pending]);
        const sends = open.reduce((all, [count]) => all + count, 0);
        const isOver = waiting === 0 && unheard.length === 0 && open.every(([, pending]) => pending === 0);
        if (isOver && (sends === 0 || sends === (await findUnconfirmed(world, this.#channels)).size))
          return true;
        throw new Error(
          `${waiting} webhooks wait, ${unheard.length} people are not heard; sends and deliveries open: ${JSON.stringify(open)}`,
        );
      },
      withinMs,
    );
  }

  /**
   * Each violated invariant as a sentence. [faults: I1 to I4, I7, I8] `resendMs`: two copies less than this apart must have two
   * claims on record that are this far apart, otherwise two owners claimed one copy. `toldAnew`: how many events operators have
   * retried: such a retry is a second event.
   */
  async findings(resendMs: number, toldAnew = 0): Promise<string[]> {
    const found: string[] = [];
    const isTold = () => this.#unconfirmed().length === 0;
    await until('what waits in the store', isTold, 30_000).catch(() => undefined); // an event that is still missing then is a finding below
    const unconfirmed = await findUnconfirmed(this.#cluster.world, this.#channels);
    const isKnown = ({ messageId }: Ended): boolean => messageId === null || !unconfirmed.has(messageId);
    for (const channel of this.#channels) {
      const { sends } = await this.#cluster.world.simulator.control(
        `sends?channel=${channel.upstream}&limit=1000000`,
      );
      const copies = byRecipient(sends);
      const ended = this.ended.filter((one) => one.channel === channel && isKnown(one));
      for (const send of ended) {
        const own = copies.get(send.recipient) ?? [];
        found.push(...(await findWrongs(this.#cluster.world, send, own, resendMs)));
      }
      found.push(...this.#untold(confirmation[channel.type], ended, copies));
    }
    return [...found, ...this.#unheard(), ...this.#repeated(toldAnew), ...this.#defects()];
  }

  /** Log lines of level error, by which a node reports a defect. */
  #defects(): string[] {
    return this.#cluster.nodes.flatMap((node) =>
      node.takeErrors().map((line) => `${node.id} logged ${line}`),
    );
  }

  /** Sends that upstream accepted, or that were answered `sent` or `queued`, without the status event that says so. */
  #untold(event: string, ended: readonly Ended[], copies: ReadonlyMap<string, LedgerEntry[]>): string[] {
    const told = new Set(
      this.#cluster.world.inbox.ofType(event).map((arrival) => arrival.event.data['message_id']),
    );
    const ids = ended.flatMap(({ recipient, status, messageId }) => [
      ...(status === 'sent' || status === 'queued' ? [messageId] : []),
      ...(copies.get(recipient) ?? []).map(({ tag }) => tag),
    ]);
    return [...new Set(ids)].filter((id) => id !== null && !told.has(id)).map((id) => `no ${event} of ${id}`);
  }

  /** Sends that were answered with an id and have no status event yet: a status that found no owner waits in the store until the next sweep. */
  #unconfirmed(): Ended[] {
    const told = new Map(
      Object.values(confirmation).map((event) => [
        event,
        new Set(this.#cluster.world.inbox.ofType(event).map((arrival) => arrival.event.data['message_id'])),
      ]),
    );
    return this.ended.filter(
      ({ channel, status, messageId }) =>
        (status === 'sent' || status === 'queued') &&
        told.get(confirmation[channel.type])?.has(messageId) !== true,
    );
  }

  #unheard(): string[] {
    const heard = new Set(
      this.#cluster.world.inbox.ofType('message.received').map(({ event }) => event.data['from']),
    );
    return this.written
      .filter(({ from }) => !heard.has(from))
      .map(({ channel, from }) => `no message.received from ${from} (${channel.type})`);
  }

  /** [faults: I5, I8] A message makes each event once, whoever owned the channel; `toldAnew` events may be made once more. */
  #repeated(toldAnew: number): string[] {
    const ids = new Map<string, Set<unknown>>();
    for (const { event, headers } of this.#cluster.world.inbox.arrivals) {
      if (!event.event.startsWith('message.') || event.data['message_id'] === undefined) continue;
      const name = `${event.event} of ${JSON.stringify(event.data['message_id'])}`;
      ids.set(name, (ids.get(name) ?? new Set()).add(headers['x-webhook-id']));
    }
    const repeated = [...ids].filter(([, seen]) => seen.size > 1);
    if (repeated.reduce((sum, [, seen]) => sum + seen.size - 1, 0) <= toldAnew) return [];
    return repeated.map(([name, seen]) => `${name} is ${seen.size} events`);
  }
}

/** In milliseconds of `performance.now()`. */
function waitUntil(dueAt: number): Promise<void> {
  return wait(Math.max(0, dueAt - performance.now()));
}

function byRecipient(sends: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  const copies = new Map<string, LedgerEntry[]>();
  for (const entry of sends) copies.set(entry.recipient, [...(copies.get(entry.recipient) ?? []), entry]);
  return copies;
}

/** The contents in turn, of those that the channel type can send. */
function contentOf(contents: readonly ContentName[], { type }: Channel, n: number): ContentName {
  const possible = contents.filter((content) =>
    everySend.some(([kind, can]) => kind === type && can === content),
  );
  return possible[n % possible.length] ?? 'text';
}
