/** [spec: Ordered delivery; faults: 382] kill -9 of the owner while events of one person wait behind one that fails: its successor keeps the order. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { newPerson } from '../support/sends.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('an ordered channel', (source) => {
  let cluster: ServiceCluster;
  let channel: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {
      env: { WEBHOOK_RETRY_DELAYS_MS: '2000,2000,2000,2000,2000,2000,2000', WEBHOOK_TIMEOUT_MS: '60000' },
    });
    channel = await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat');
    const path = `/api/v1/channels/${channel.id}`;
    await cluster.world.service.call('PATCH', path, { key: channel.key, body: { ordered: true } });
  }, clusterHookMs);
  afterAll(() => cluster.close());

  test('whose owner is killed after a failed attempt, and the next one during a POST', async () => {
    const from = newPerson('pagechat');
    const texts = Array.from({ length: 6 }, (_, n) => `text ${n}`);
    const write = (text: string | undefined) => cluster.world.write(channel, { text, wait: true }, from);
    const told = (answered: number) =>
      cluster.inbox.arrivals
        .filter((each) => each.answered === answered)
        .map(({ event }) => event.data['text']);
    cluster.inbox.answerAlways('hang');
    cluster.inbox.answerNext(503);
    for (const text of texts.slice(0, 3)) await write(text);
    await cluster.inbox.next(1);
    await (await cluster.ownerOf(channel)).kill9();
    for (const text of texts.slice(3)) await write(text);
    await cluster.inbox.next(2);
    await (await cluster.ownerOf(channel)).kill9();
    cluster.inbox.answerAlways(200);
    await cluster.inbox.next(texts.length, ({ answered }) => answered === 200, 60_000);
    expect(told(200)).toEqual(texts);
    expect(new Set([...told(503), ...told(0)])).toEqual(new Set(texts.slice(0, 1)));
  });
});
