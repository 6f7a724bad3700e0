/** Endpoints beside the webhooks of the stormed channels: they get the same events. [spec: Additions, Endpoints; faults: I4, 388] */
import { expect } from '@jest/globals';
import { Inbox } from '../support/inbox.ts';
import type { Arrival } from '../support/inbox.ts';
import { until } from '../support/until.ts';
import { eventsOf } from '../support/world.ts';
import type { Channel, World } from '../support/world.ts';

/** How many of their first posts fail. */
const failingPosts = 60;

const nameOf = ({ event: { event, channel_id: channel, data } }: Arrival): string =>
  `${event} of ${JSON.stringify(data['message_id'])} on ${channel}`;
const toldOf = ({ arrivals }: Inbox): Set<string> =>
  new Set(
    arrivals
      .filter(({ answered, event }) => answered === 200 && event.event.startsWith('message.'))
      .map(nameOf),
  );

export class StormedEndpoints {
  readonly #inbox: Inbox;

  private constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /** One for each channel, with its events. */
  static async of(world: World, channels: readonly Channel[]): Promise<StormedEndpoints> {
    const inbox = await Inbox.open();
    inbox.answerNext(
      ...Array.from({ length: failingPosts }, (_, n) => (n % 3 === 0 ? ('reset' as const) : 503)),
    );
    for (const { id, key, type } of channels) {
      const body = { url: inbox.url, events: eventsOf[type] };
      const { status } = await world.service.call('POST', `/api/v1/channels/${id}/endpoints`, { key, body });
      expect(status).toBe(201);
    }
    return new StormedEndpoints(inbox);
  }

  /** Each event once, as the webhooks of the channels got it: none is lost for one of the two, none is made twice. */
  async expectSame(webhooks: Inbox): Promise<void> {
    const missing = (): string[][] => {
      const [told, ours] = [toldOf(webhooks), toldOf(this.#inbox)];
      return [[...told].filter((name) => !ours.has(name)), [...ours].filter((name) => !told.has(name))];
    };
    await until('the endpoints to have every event', () => missing().flat().length === 0, 60_000).catch(
      () => undefined,
    );
    expect(missing()).toEqual([[], []]);
    expect(this.#repeated()).toEqual([]);
  }

  close(): Promise<void> {
    return this.#inbox.close();
  }

  /** Events that were made twice: the same name under two ids. */
  #repeated(): string[] {
    const ids = new Map<string, Set<unknown>>();
    for (const arrival of this.#inbox.arrivals.filter(({ event }) => event.event.startsWith('message.')))
      ids.set(nameOf(arrival), (ids.get(nameOf(arrival)) ?? new Set()).add(arrival.headers['x-webhook-id']));
    return [...ids].filter(([, seen]) => seen.size > 1).map(([name]) => name);
  }
}
