/** [spec: Additions, Endpoints; faults: 388] kill -9 while events are stored, told and posted: each endpoint gets each of them. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let channel: Channel;
let crm: Inbox;
beforeAll(async () => {
  killable = await KillableService.open({ WEBHOOK_RETRY_DELAYS_MS: '300,300,300,300,300,300,300' });
  channel = await killable.world.connected('pagechat');
  crm = await Inbox.open();
  const body = { url: crm.url, events: ['message.received'] };
  const path = `/api/v1/channels/${channel.id}/endpoints`;
  expect((await killable.process.call('POST', path, { key: channel.key, body })).status).toBe(201);
});
afterAll(async () => {
  await killable.close();
  await crm.close();
});

const told = (inbox: Inbox, text: string) =>
  inbox.arrivals.some(({ event, answered }) => event.data['text'] === text && answered === 200);

test('killed four times among sixty events: the webhook and the endpoint get all', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `text ${n}`);
  crm.answerNext('hang', 500, 503);
  for (const [n, text] of texts.entries()) {
    await killable.world.write(channel, { text, wait: false }, newPerson('pagechat'));
    if (n % 15 !== 14) continue;
    // While the last of them are stored, told or posted.
    await until('one of them', () => killable.inbox.arrivals.length + crm.arrivals.length > n / 2);
    await killable.kill();
    await killable.restart();
  }
  for (const inbox of [killable.inbox, crm])
    await until('all of them', () => texts.every((text) => told(inbox, text)), 60_000);
  const ids = new Set(crm.arrivals.map(({ headers }) => headers['x-webhook-id']));
  expect(ids.size).toBe(texts.length);
});
