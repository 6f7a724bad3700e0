/** [faults: 98] A receiver that hangs until the time limit gets every attempt of every event, and delays nobody else. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { laxWorld } from '../support/upstream-app.ts';

jest.setTimeout(120_000);

let world: World;
let hanging: Inbox;
beforeAll(async () => {
  world = await World.open(
    {
      WEBHOOK_TIMEOUT_MS: '150',
      WEBHOOK_RETRY_DELAYS_MS: '50,100,200,200,200,200,200',
    },
    laxWorld,
  );
  hanging = await Inbox.open();
  hanging.answerAlways('hang');
});
afterAll(async () => {
  await hanging.close();
  await world.close();
});

async function channelTo(webhookUrl: string): Promise<Channel> {
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  return world.connect(await newAccount(world.service), 'pagechat', { upstream, webhookUrl });
}

test('100 events to a receiver that hangs until the time limit: every event gets its 8 attempts', async () => {
  const [stuck, well] = [await channelTo(hanging.url), await channelTo(world.inbox.url)];
  const people = Array.from({ length: 100 }, () => newPerson('pagechat'));
  for (const from of people) await world.write(stuck, { text: 'hello' }, from);
  await until('the first attempts', () => hanging.arrivals.length >= 32);
  const mia = newPerson('pagechat');
  await world.write(well, { text: 'hello' }, mia);
  await world.inbox.next(1, ({ event }) => event.data['from'] === mia);
  await until(
    'all to be given up',
    async () => (await world.service.admin('GET', `/channels/${stuck.id}`)).body.deliveries_pending === 0,
    100_000,
  );
  const { body } = await world.service.call('GET', `/api/v1/channels/${stuck.id}/deliveries`, {
    key: stuck.key,
  });
  // By the record: on a busy machine the time limit may be over before the receiver has read a POST.
  const made = body.deliveries.map(({ attempts }: { attempts: unknown[] }) => attempts.length);
  expect(made).toEqual(Array<number>(100).fill(8));
  for (const seen of attemptsSeen().values()) {
    // No attempt comes twice; the receiver may read an aborted POST after the next one.
    expect(new Set(seen).size).toBe(seen.length);
    expect(Math.max(...seen)).toBeLessThanOrEqual(8);
  }
});

/** The attempt numbers that the receiver got for each event, by its sender. */
function attemptsSeen(): Map<unknown, number[]> {
  const attempts = new Map<unknown, number[]>();
  for (const { event, headers } of hanging.arrivals) {
    const from = event.data['from'];
    attempts.set(from, [...(attempts.get(from) ?? []), Number(headers['x-webhook-attempt'])]);
  }
  return attempts;
}
