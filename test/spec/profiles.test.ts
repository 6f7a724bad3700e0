/** [spec: Sender profile] The profile of a person, as clients see it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { allEventsAbout } from '../support/events.ts';
import type { Answer } from '../support/api.ts';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, person } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

const profileOf = (channel: Channel, userId: string, key = channel.key): Promise<Answer> =>
  world.service.call('GET', `/api/v1/channels/${channel.id}/profile/${userId}`, { key });

async function newcomer(channel: Channel, profile: string): Promise<string> {
  const id = newPerson(channel.type);
  await world.simulator.control('people', {
    channel: channel.upstream,
    id,
    name: 'Lena Ott',
    username: 'lena.ott',
    profile,
  });
  return id;
}

describe('a person with a complete profile', () => {
  test('pagechat: first and last name, and a picture', async () => {
    const id = await newcomer(channels.pagechat, 'full');
    const { status, body } = await profileOf(channels.pagechat, id);
    expect([status, body]).toEqual([
      200,
      {
        channel_id: channels.pagechat.id,
        channel_type: 'pagechat',
        user_id: id,
        profile: { first_name: 'Lena', last_name: 'Ott', profile_pic: expect.stringContaining('http') },
        cached: false,
      },
    ]);
    expect((await profileOf(channels.pagechat, id)).body).toEqual({ ...body, cached: true });
  });

  test('photoapp: user name, name, picture, followers and the mark of a verified account', async () => {
    const id = await newcomer(channels.photoapp, 'full');
    expect((await profileOf(channels.photoapp, id)).body).toEqual({
      channel_id: channels.photoapp.id,
      channel_type: 'photoapp',
      user_id: id,
      profile: {
        username: 'lena.ott',
        name: 'Lena Ott',
        profile_pic: expect.stringContaining('http'),
        follower_count: 210,
        is_verified_user: false,
      },
      cached: false,
    });
  });

  test('the user_id is data.from of a webhook', async () => {
    const from = newPerson('pagechat');
    await world.write(channels.pagechat, { text: 'who am I?' }, from);
    const [received] = await allEventsAbout(world, channels.pagechat, from, 1);
    const { body } = await profileOf(channels.pagechat, String(received?.data['from']));
    expect(body.profile).toMatchObject({ first_name: expect.any(String) });
  });
});

describe('a person who hides something', () => {
  test('a field that upstream answers null is null', async () => {
    const id = await newcomer(channels.photoapp, 'nulls');
    expect((await profileOf(channels.photoapp, id)).body.profile).toMatchObject({
      username: 'lena.ott',
      name: null,
      profile_pic: null,
    });
  });

  const kinds = ['photoapp', 'pagechat'] as const;
  const withheld = ['empty', 'none', 'not_permitted', 'no_consent', 'gone'];
  test.each(kinds.flatMap((type) => withheld.map((profile) => [type, profile] as const)))(
    '%s, %s: profile is null, and cached for a short time',
    async (type, profile) => {
      const id = await newcomer(channels[type], profile);
      const first = await profileOf(channels[type], id);
      const second = await profileOf(channels[type], id);
      expect([first, second].map(({ status, body }) => [status, body.profile, body.cached])).toEqual([
        [200, null, false],
        [200, null, true],
      ]);
    },
  );

  test.each(kinds)('%s: a failure of upstream is 502, and is not cached', async (type) => {
    const id = await newcomer(channels[type], 'error');
    expect((await profileOf(channels[type], id)).status).toBe(502);
    await world.simulator.control('people', { channel: channels[type].upstream, id, profile: 'full' });
    expect((await profileOf(channels[type], id)).status).toBe(200);
  });
});

describe('errors', () => {
  test('chatapp: 404; the webhook has the name', async () => {
    const { status, body } = await profileOf(channels.chatapp, person.chatapp);
    expect([status, body]).toEqual([404, { detail: 'Sender profile not found: chatapp channels have none' }]);
  });

  test("another account's channel: 404, like a channel that does not exist", async () => {
    const other = await newAccount(world.service);
    const foreign = await profileOf(channels.pagechat, person.pagechat, other.key);
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Channel not found' }]);
  });

  test.each([
    'me',
    '%2e%2e%2fme',
    '8800000000000001%2Faccounts',
    '8800000000000001%3Ffields=id',
    '0x1F',
    '%00',
    '%EF%BC%91',
  ])(
    "a user_id that could change upstream's path is refused before upstream is called: %s",
    async (userId) => {
      const { status, body } = await profileOf(channels.pagechat, userId);
      expect([status, body.detail?.[0]?.loc]).toEqual([422, ['path', 'user_id']]);
    },
  );

  test('a dead token is 502; an inactive channel is 400', async () => {
    const account = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator);
    const page = pages[0]?.id ?? '';
    const channel = await world.connect(account, 'pagechat', { upstream: page });
    await world.simulator.control('tokens/expire', { asset: page });
    expect((await profileOf(channel, person.pagechat)).status).toBe(502);
    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: account.key });
    expect((await profileOf(channel, person.pagechat)).status).toBe(400);
  });
});
