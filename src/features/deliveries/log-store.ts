/** The delivery log: the deliveries themselves, read along an index of its own. */
import { yieldToLoop } from '../../kernel/clock.ts';
import { oldestFirst } from '../../kernel/paging.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import { insertNew } from '../../storage/records.ts';
import type { InChannel, Records, RecordsOf } from '../../storage/records.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';
import { logPages } from './log-pages.ts';
import { loggedFields, oneOf, withEndpoint } from './logged.ts';
import type { KeptOfAccount, LoggedDelivery, LoggedReads, WaitingDelivery } from './logged.ts';

const channelsAtOnce = 20;

export function deliveryLogStore(recordsOf: RecordsOf) {
  const deliveries = recordsOf(deliveriesEntity);
  const logged = withEndpoint(deliveries.only(...loggedFields));
  const waiting = withEndpoint(deliveries.only(...loggedFields, 'payload'));
  const kept = withEndpoint(deliveries.only('id', 'channelId', 'createdAt', 'event', 'keptSince'));
  return {
    ...logPages(deliveries, logged),
    /** Deliveries created after `place`, oldest first. */
    async after({
      channelId,
      accountId,
      place,
      limit,
    }: {
      accountId: string;
      channelId: string;
      place: PagePosition;
      limit: number;
    }): Promise<WaitingDelivery[]> {
      await yieldToLoop();
      const after = [place.createdAt, place.id];
      return waiting.list({ by: 'log', equal: { channelId, accountId }, after, limit });
    },
    /** Kept deliveries of the account created after `place`, oldest first. */
    async keptAfter(accountId: string, place: PagePosition, limit: number): Promise<KeptOfAccount[]> {
      await yieldToLoop();
      const after = [place.createdAt, place.id];
      return kept.list({ by: 'keptOfAccount', equal: { accountId }, after, limit });
    },
    /** Number of pending deliveries of these channels; at most `limit`. */
    async countPending({
      channelIds,
      limit,
    }: {
      channelIds: readonly string[];
      limit: number;
    }): Promise<number> {
      let count = 0;
      for (let at = 0; at < channelIds.length && count < limit; at += channelsAtOnce) {
        const some = channelIds.slice(at, at + channelsAtOnce);
        const counts = await Promise.all(
          some.map((channelId) => deliveries.count({ by: 'pending', equal: { channelId }, limit })),
        );
        for (const each of counts) count += each;
      }
      return Math.min(count, limit);
    },
    ...timesOf(deliveries),
    ...singlesOf(deliveries, logged, waiting),
  };
}

interface TimesAsked {
  channelId: string;
  limit: number;
}

/** Along the index of the log: no delivery itself is read. */
function timesOf(deliveries: Records<Delivery>) {
  const times = deliveries.only('createdAt', 'id');
  return {
    /** When the newest deliveries of a channel of the account began, at most `limit`, from `since` on. */
    async timesSince({ channelId, since, limit }: TimesAsked & { since: number }): Promise<number[]> {
      const range = { on: 'createdAt', from: since } as const;
      const found = await times.list({ by: 'log', equal: { channelId }, range, isDescending: true, limit });
      return found.map(({ createdAt }) => createdAt);
    },
    /** Their number in a span; at most `limit`. */
    countBetween({
      channelId,
      from,
      below,
      limit,
    }: TimesAsked & { from: number; below: number }): Promise<number> {
      const range = { on: 'createdAt', from, below } as const;
      return deliveries.count({ by: 'log', equal: { channelId }, range, limit });
    },
  };
}

function singlesOf(
  deliveries: Records<Delivery>,
  logged: LoggedReads<LoggedDelivery>,
  waiting: LoggedReads<WaitingDelivery>,
) {
  return {
    /** Adds a webhook test, whose outcome is known already. */
    async addTest({ endpointId, ...test }: LoggedDelivery): Promise<void> {
      const channelId = ownerOf(test.channelId, endpointId);
      const unsent = {
        payload: null,
        keptBytes: null,
        sequence: null,
        upstreamId: null,
        claims: 0,
        epoch: 0,
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers of pending or kept deliveries never meet one: it has ended
      await insertNew(deliveries, { ...test, channelId, ...unsent } as Delivery);
    },
    /** Of the channel or of an endpoint of it, with its payload. */
    whole: (which: InChannel): Promise<WaitingDelivery | null> => oneOf(waiting, which),
    /** Of the channel or of an endpoint of it. */
    find: (which: InChannel): Promise<LoggedDelivery | null> => oneOf(logged, which),
    /** The channel of the account's delivery with this id. */
    async channelOf(accountId: string, id: string): Promise<string | null> {
      return (await logged.one({ id, accountId }))?.channelId ?? null;
    },
    /** The existing ones among a few ids, oldest first; `channelId` null: of any channel of the account. */
    async among({
      accountId,
      channelId,
      ids,
    }: {
      accountId: string;
      channelId: string | null;
      ids: string[];
    }): Promise<LoggedDelivery[]> {
      const found = await logged.some(ids, { accountId, ...(channelId === null ? {} : { channelId }) });
      return found.toSorted(oldestFirst);
    },
  };
}
