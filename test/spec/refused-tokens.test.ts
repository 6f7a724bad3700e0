/** [spec: Send error codes, 190] Whichever call is refused for its token, the channel reports it at once and its owner gets one mail. */
import { expect, test } from '@jest/globals';
import { allEventsAbout } from '../support/events.ts';
import { channelTypes, mailsOf, newPerson } from '../support/sends.ts';
import { allowRedirect, codeIn, connectOwnAsset, exchange, home } from '../support/setup.ts';
import type { OwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { follow } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

const world = sharedWorld();

// oxlint-disable-next-line typescript/no-explicit-any
async function get({ key, id }: Channel, path: string): Promise<any> {
  const { body } = await world.service.call('GET', `/api/v1/channels/${id}${path}`, { key });
  return body;
}

const kindsOfMails = async ({ account }: OwnAsset) =>
  (await mailsOf(world, account.accountId)).map(({ kind }) => kind);

const expire = ({ asset }: OwnAsset) => world.simulator.control('tokens/expire', { asset });

/** The calls that use the channel's token, except for the health probe. */
const calls: [string, ChannelType, (channel: Channel) => Promise<unknown>][] = [
  ['a send', 'chatapp', (channel) => world.send(channel, 'hello', newPerson('chatapp'))],
  ['a send', 'photoapp', (channel) => world.send(channel, 'hello', newPerson('photoapp'))],
  ['a send', 'pagechat', (channel) => world.send(channel, 'hello', newPerson('pagechat'))],
  ['a list of templates', 'chatapp', (channel) => get(channel, '/templates')],
  ['a profile', 'photoapp', (channel) => get(channel, `/profile/${newPerson('photoapp')}`)],
  ['a profile', 'pagechat', (channel) => get(channel, `/profile/${newPerson('pagechat')}`)],
  [
    'a file of a person',
    'chatapp',
    (channel) => world.write(channel, { type: 'image' }, newPerson('chatapp')),
  ],
];

test.each(calls)('%s on %s', async (_what, type, call) => {
  const own = await connectOwnAsset(world, type);
  expect(await get(own.channel, '/health')).toMatchObject({ token: 'valid', can_send: true });
  await expire(own);
  await call(own.channel);
  await until('the mail', async () => (await kindsOfMails(own)).length > 0);
  await until('the channel to say so', async () => (await get(own.channel, '/health')).token === 'refused');
  expect(await get(own.channel, '/health')).toMatchObject({
    can_send: false,
    can_receive: true,
    problems: [{ code: 'token_refused', affects: ['send'] }],
  });
  expect((await get(own.channel, '')).is_active).toBe(true);
  await call(own.channel);
  await world.send(own.channel, 'hello', newPerson(type));
  expect(await kindsOfMails(own)).toEqual(['reconnect']);
});

test.each([
  ['chatapp', 502, (channel: Channel) => `/api/v1/channels/${channel.id}/templates`],
  ['pagechat', 502, (channel: Channel) => `/api/v1/channels/${channel.id}/profile/${newPerson('pagechat')}`],
] as const)('%s: the %i answer says to reconnect the channel', async (type, code, path) => {
  const own = await connectOwnAsset(world, type);
  await expire(own);
  const { status, body } = await world.service.call('GET', path(own.channel), { key: own.channel.key });
  expect([status, body.detail]).toEqual([code, expect.stringContaining('reconnect the channel')]);
});

test('a file that cannot be fetched with the token says what to do', async () => {
  const own = await connectOwnAsset(world, 'chatapp');
  await expire(own);
  const from = newPerson('chatapp');
  await world.write(own.channel, { type: 'image' }, from);
  const [told] = await allEventsAbout(world, own.channel, from, 1);
  expect(told?.data['media']).toMatchObject({
    download_url: null,
    error: 'Upstream refuses the access token of the channel; reconnect the channel',
  });
});

test.each(channelTypes)('a %s channel that is reconnected is healthy at once', async (type) => {
  const own = await connectOwnAsset(world, type);
  const { channel, account } = own;
  await get(channel, '/health');
  await expire(own);
  await world.send(channel, 'hello', newPerson(type));
  await until('the channel to say so', async () => (await get(channel, '/health')).token === 'refused');
  await allowRedirect(world.service, account.key);
  const started = await world.service.call('POST', '/api/v1/channels/setup-url', {
    key: account.key,
    body: { channel_type: type, redirect_uri: home, channel_id: channel.id },
  });
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [channel.upstream] });
  const { body } = await exchange(
    world.service,
    account.key,
    codeIn(await follow(started.body.setup_url, home)),
  );
  expect(body.channel_id).toBe(channel.id);
  expect(await get(channel, '/health')).toMatchObject({ token: 'valid', can_send: true });
  expect((await world.send(channel, 'hello again', newPerson(type))).body.status).toBe('sent');
});
