/** [faults: 151] kill -9 while a receiver has a POST: an event that crashes its node repeatedly is quarantined, and the channel's other events are delivered. */
import { limits } from '../../actors/channel/limits.ts';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { newPerson } from '../support/sends.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let channel: Channel;
beforeAll(async () => {
  killable = await KillableService.open({ WEBHOOK_TIMEOUT_MS: '60000' });
  channel = await killable.world.connected('pagechat');
});
afterAll(() => killable.close());

const postsOf = (from: string) => killable.inbox.arrivals.filter(({ event }) => event.data['from'] === from);

test('an event that crashes its node repeatedly is quarantined; other events are delivered; an operator may replay it', async () => {
  const [bad, good] = [newPerson('pagechat'), newPerson('pagechat')];
  killable.inbox.answerAlways('hang');
  await killable.world.write(channel, { text: 'a secret of theirs', wait: true }, bad);
  for (let posts = 1; posts <= limits.deliveryCrashes; posts += 1) {
    await until('its POST', () => postsOf(bad).length === posts);
    await killable.kill();
    await killable.restart();
  }
  killable.inbox.answerAlways(200);
  const quarantined = async () => (await killable.process.admin('GET', '/quarantine')).body.items;
  await until('it to be put aside', async () => (await quarantined()).length === 1);
  await killable.world.write(channel, { text: 'hello', wait: true }, good);
  await until('another event', () => postsOf(good).length === 1);
  expect(postsOf(bad)).toHaveLength(limits.deliveryCrashes);

  const [item] = await quarantined();
  expect(item).toMatchObject({
    reason: 'ended_node',
    channel_id: channel.id,
    kind: 'delivery',
    shape: 'message.received',
    times: limits.deliveryCrashes,
    can_be_retried: true,
  });
  const { body } = await killable.process.call('GET', `/api/v1/channels/${channel.id}/deliveries`, {
    key: channel.key,
  });
  expect(JSON.stringify(body)).toContain('put aside');
  expect((await everythingStored(killable.env['DATA_DIR'] ?? '')).includes('a secret of theirs')).toBe(false);

  expect((await killable.process.admin('POST', `/quarantine/${item.id}/retry`)).status).toBe(200);
  await until('it to be told', () => postsOf(bad).length === limits.deliveryCrashes + 1);
  expect(postsOf(bad).at(-1)?.raw).toEqual(postsOf(bad)[0]?.raw);
  expect(await quarantined()).toEqual([]);
});
