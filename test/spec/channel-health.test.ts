/** A channel reports why it cannot send or receive. The service restores a subscription that upstream lost; other problems are mailed. [upstream §2.2, §2.4] */
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { allEventsAbout } from '../support/events.ts';
import { channelTypes, mailsOf, newPerson } from '../support/sends.ts';
import { connectOwnAsset } from '../support/setup.ts';
import type { OwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';

const world = sharedWorld({ HEALTH_CHECK_INTERVAL_MS: '200' });

// oxlint-disable-next-line typescript/no-explicit-any
async function healthOf({ channel }: OwnAsset): Promise<any> {
  const answer = await world.service.call('GET', `/api/v1/channels/${channel.id}/health`, {
    key: channel.key,
  });
  if (answer.status !== 200) throw new Error(`health answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

describe.each(channelTypes)('a %s channel', (type) => {
  test('that works reports its last inbound event and delivery', async () => {
    const own = await connectOwnAsset(world, type);
    const from = newPerson(type);
    await world.write(own.channel, { text: 'hello' }, from);
    await allEventsAbout(world, own.channel, from, 1);
    expect(await healthOf(own)).toEqual({
      channel_id: own.channel.id,
      channel_type: type,
      can_send: true,
      can_receive: true,
      problems: [],
      token: 'valid',
      token_expires_at: null,
      upstream_subscription: true,
      quality_rating: type === 'chatapp' ? 'GREEN' : null,
      checked_at: expect.any(String),
      last_inbound_at: expect.any(String),
      last_status_at: null,
      last_delivery_at: expect.any(String),
      last_failed_delivery_at: null,
    });
  });

  test('whose token is dead reports it, and its owner gets one mail', async () => {
    const own = await connectOwnAsset(world, type);
    await world.simulator.control('tokens/expire', { asset: own.asset });
    await until('the token to be seen refused', async () => (await healthOf(own)).token === 'refused');
    expect(await healthOf(own)).toMatchObject({
      can_send: false,
      problems: [{ code: 'token_refused', affects: ['send'], detail: expect.any(String) }],
    });
    const mails = () => mailsOf(world, own.account.accountId);
    await until('the mail', async () => (await mails()).length > 0);
    const checkedAt = (await healthOf(own)).checked_at;
    await until('another look', async () => (await healthOf(own)).checked_at !== checkedAt);
    expect((await mails()).map(({ kind }) => kind)).toEqual(['reconnect']);
  });
});

test.each(['chatapp', 'pagechat'] as const)(
  'a %s channel whose webhook subscription upstream has lost is subscribed again, and nobody gets a mail',
  async (type) => {
    const own = await connectOwnAsset(world, type);
    const { token } = await world.simulator.control('tokens', { asset: own.asset });
    const path = `${world.simulator.url}/v25.0/${own.asset}/subscribed_apps`;
    const lost = await call('DELETE', path, { headers: { authorization: `Bearer ${token}` } });
    expect(lost.body).toEqual({ success: true });
    const from = newPerson(type);
    await until('somebody to hear of it', async () => {
      const { webhooks } = await world.write(own.channel, { text: 'anybody there?' }, from);
      return webhooks === 1;
    });
    await allEventsAbout(world, own.channel, from, 1);
    await until('the health to say so', async () => (await healthOf(own)).upstream_subscription === true);
    expect((await healthOf(own)).problems).toEqual([]);
    expect(await mailsOf(world, own.account.accountId)).toEqual([]);
  },
);

test('a quality rating that changes without a webhook is updated by the next probe', async () => {
  const own = await connectOwnAsset(world, 'chatapp');
  await world.simulator.control('quality', {
    phone_number_id: own.channel.upstream,
    rating: 'YELLOW',
    event: null,
  });
  await until('the channel to be yellow', async () => {
    const path = `/api/v1/channels/${own.channel.id}`;
    const { body } = await world.service.call('GET', path, { key: own.channel.key });
    return body.quality_rating === 'YELLOW';
  });
});

test('that is inactive reports it', async () => {
  const own = await connectOwnAsset(world, 'pagechat');
  await world.service.call('DELETE', `/api/v1/channels/${own.channel.id}`, { key: own.channel.key });
  const { can_send: send, can_receive: receive, problems } = await healthOf(own);
  expect([send, receive, problems[0].code]).toEqual([false, false, 'inactive']);
});
