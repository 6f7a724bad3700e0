/** [faults: I9] A list of ten thousand items is the same JSON as a short one, but written over several turns of the event loop. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { countTurns } from '../support/loop-turns.ts';
import { routesOver } from '../../src/http/route.ts';
import { pageParameters } from '../../src/http/parameters.ts';
import { listOf, responseObject, string } from '../../src/http/validation/json-schema.ts';
import { noBody } from '../../src/http/validation/request-body.ts';
import { aDelivery, aSubscription } from '../stores/conformance/samples.ts';
import { upstreamTemplate } from '../features/support/templates.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { caller, now, optionsOver, serve, someId } from './support.ts';
import type { Running } from './support.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
});
afterAll(() => house.close());

let service: Running | null = null;
afterEach(async () => {
  jest.restoreAllMocks();
  await service?.stop();
  service = null;
});

const wordRoute = routesOver<{ words: readonly string[] }>().apiRoute({
  get: '/api/v1/words',
  name: 'listWords',
  tag: 'Test',
  needs: ['admin'],
  summary: 'Lists words',
  parameters: pageParameters,
  body: noBody,
  success: { status: 200, schema: responseObject('Words', { words: listOf(string) }) },
  answer: async (_call, { world }) => ({ words: world.words, total: world.words.length }),
});

/** Around the first cut, words begin and end with half a surrogate pair. */
function wordAt(n: number): string {
  return n >= 249 && n <= 251 ? '\ude00 😀 \ud83d' : `https://app-${n}.example/"é`;
}

test.each([0, 250, 251, 500, 10_000])('%i words', async (count) => {
  const words = Array.from({ length: count }, (_, n) => wordAt(n));
  service = await serve(optionsOver({ routes: [wordRoute], world: { words } }));
  const turns = countTurns();
  const { status, text } = await service.api('/api/v1/words');
  expect(turns()).toBeGreaterThanOrEqual(count / 250);
  expect([status, text]).toEqual([200, JSON.stringify({ words, total: count })]);
});

/** Counts the times that are written as text in each turn of the event loop: each item has some. Returns the most. */
function countInTurns(): () => number {
  const written = jest.spyOn(Date.prototype, 'toISOString');
  let [before, most, isOver] = [0, 0, false];
  const look = (): void => {
    const { length } = written.mock.calls;
    most = Math.max(most, length - before);
    before = length;
    if (!isOver) setImmediate(look);
  };
  look();
  return () => {
    isOver = true;
    return most;
  };
}

async function lengthOf(path: string, list: string): Promise<unknown[]> {
  service = await house.run();
  const { status, text } = await service.api(path);
  const body = JSON.parse(text);
  return [status, body[list].length, body.total];
}

test('an item is converted when it is written, 250 per turn', async () => {
  for (let n = 1; n < 1_000; n += 1)
    await house.stores.subscriptions.insert(aSubscription(caller.accountId, { expiresAt: null }));
  const most = countInTurns();
  expect(await lengthOf('/api/v1/subscriptions', 'subscriptions')).toEqual([200, 1_000, 1_000]);
  // The time of its start.
  expect(most()).toBe(250);
});

test('so is a delivery', async () => {
  const made = { accountId: caller.accountId, createdAt: now, state: 'delivered', payload: null } as const;
  const writes = Array.from({ length: 1_000 }, () => ({
    write: 'insertDelivery' as const,
    delivery: aDelivery(someId, made),
  }));
  await house.channelState.commit(someId, 1, writes);
  const most = countInTurns();
  const path = `/api/v1/channels/${someId}/deliveries?limit=1000`;
  expect(await lengthOf(path, 'deliveries')).toEqual([200, 1_000, 1_000]);
  // The time of its creation.
  expect(most()).toBe(250);
});

test('so is a template', async () => {
  const { upstreamTemplates, features } = house;
  const { channel } = await features.readChannel(caller, someId);
  const all = Array.from({ length: 1_000 }, (_, n) =>
    upstreamTemplate({ upstreamId: `${n}`, name: `t_${n}` }),
  );
  upstreamTemplates.listed.set(channel.subscribedAsset ?? '', all);
  const most = countInTurns();
  expect(await lengthOf(`/api/v1/channels/${someId}/templates`, 'templates')).toEqual([200, 1_000, 1_000]);
  // The times of its creation and of its synchronization, and that of the whole list in the first turn.
  expect(most()).toBe(2 * 250 + 1);
});
