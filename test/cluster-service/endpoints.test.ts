/** [spec: Additions, Endpoints; faults: 388, 399] Endpoints whose owners are on several nodes, of which one is killed. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('the endpoints of a channel', (source) => {
  let cluster: ServiceCluster;
  let channel: Channel;
  let inboxes: Inbox[];
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {});
    channel = await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat');
    inboxes = await Promise.all(Array.from({ length: 4 }, () => Inbox.open()));
    const path = `/api/v1/channels/${channel.id}/endpoints`;
    for (const { url } of inboxes)
      await cluster.world.service.call('POST', path, {
        key: channel.key,
        body: { url, events: ['message.received'] },
      });
  }, clusterHookMs);
  afterAll(async () => {
    await cluster.close();
    for (const inbox of inboxes) await inbox.close();
  });

  test('get every event, also of the time in which the owner of the channel is killed', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    for (const [n, text] of texts.entries()) {
      await cluster.world.write(channel, { text, wait: false }, newPerson('pagechat'));
      if (n === 9) await (await cluster.ownerOf(channel)).kill9();
    }
    for (const { arrivals } of inboxes)
      await until(
        'all events',
        () => new Set(arrivals.map(({ event }) => event.data['text'])).size === texts.length,
        60_000,
      );
    const ids = inboxes.map(
      ({ arrivals }) => new Set(arrivals.map(({ headers }) => headers['x-webhook-id'])),
    );
    expect(ids.map(({ size }) => size)).toEqual(inboxes.map(() => texts.length));
  });
});
