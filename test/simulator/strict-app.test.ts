/** What an app hears and may do before it is registered, published and reviewed [upstream protocol 1.6, 1.7]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, mia, page, pageToken, phone, photo, Stage } from './support.ts';

const stranger = { psid: '8800000000009999', igsid: '9900000000009999' };

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

async function written(channel: string, from: string): Promise<unknown> {
  return at(await stage.control('people/write', { channel, from, text: 'Hello', wait: true }), 'webhooks');
}

/** The items of the webhooks so far, each without its time. */
function items(): unknown[] {
  return stage.inbox.received.map(({ body }) => at(body, 'entry', 0, 'messaging', 0));
}

describe('callback_subscribes', () => {
  test.each([
    [phone, mia.phone],
    [page, mia.psid],
    [photo, mia.igsid],
  ])(
    'a new world tells nobody what is written to %s, until the app has registered itself',
    async (channel, from) => {
      await stage.subscribe();
      await stage.publish();
      expect(await written(channel, from)).toBe(0);
      await stage.register();
      expect(await written(channel, from)).toBe(1);
    },
  );

  test('the dashboard’s form is prefilled with the callback, and the fields are checked', async () => {
    await stage.control('app/webhooks', { object: 'page', fields: 'messages' });
    const refused = stage.control('app/webhooks', { object: 'page', fields: 'messages,messaging_seen' });
    await expect(refused).rejects.toThrow('must be one of {AFFILIATION');
    expect(at(await stage.look('world'), 'subscriptions')).toEqual([
      { object: 'page', callback_url: stage.inbox.url, fields: ['messages'] },
    ]);
  });
});

describe('an app hears', () => {
  beforeEach(async () => {
    await stage.register();
    await stage.subscribe();
  });

  test.each([
    [page, mia.psid, 1],
    [page, stranger.psid, 0],
    [photo, mia.igsid, 0],
    [photo, stranger.igsid, 0],
  ])('unpublished, of %s what %s writes: %i', async (channel, from, webhooks) => {
    expect(await written(channel, from)).toBe(webhooks);
  });

  test.each([
    [page, mia.psid, 1],
    [page, stranger.psid, 0],
    [photo, mia.igsid, 1],
  ])('with Standard Access, of %s what %s writes: %i', async (channel, from, webhooks) => {
    await stage.control('settings', { app_published: true });
    expect(await written(channel, from)).toBe(webhooks);
  });

  test('with Standard Access, of a stranger on a photo account only that something was written', async () => {
    await stage.control('settings', { app_published: true });
    await written(photo, stranger.igsid);
    expect(items()).toEqual([
      { timestamp: expect.any(Number), message_edit: { mid: expect.stringMatching(/^aWd/), num_edit: 0 } },
    ]);
  });

  test('after review, of a stranger everything', async () => {
    await stage.publish();
    expect([await written(page, stranger.psid), await written(photo, stranger.igsid)]).toEqual([1, 1]);
    expect(items()).toMatchObject([{ message: { text: 'Hello' } }, { message: { text: 'Hello' } }]);
  });
});

describe('an app writes', () => {
  test.each([
    [stranger.psid, 2018028],
    [stranger.igsid, 2534048],
  ])('to %s only after review: 200/%i', async (id, subcode) => {
    await written(id.startsWith('99') ? photo : page, id);
    expect(codesOf(await stage.sendPage(id, { text: 'Hello' }))).toEqual([403, 200, subcode]);
    await stage.publish();
    expect((await stage.sendPage(id, { text: 'Hello' })).status).toBe(200);
  });

  test('to a stranger who got a role', async () => {
    await written(page, stranger.psid);
    await stage.control('app/roles', { id: stranger.psid });
    expect((await stage.sendPage(stranger.psid, { text: 'Hello' })).status).toBe(200);
  });
});

describe('app_features', () => {
  function profile(id: string): Promise<unknown> {
    return stage.graph('GET', `/${id}?fields=name`, { token: pageToken }).then(({ body }) => body);
  }

  test('without the feature a page’s people are their ids; photo accounts do not need it', async () => {
    expect(await profile(mia.psid)).toEqual({ id: mia.psid });
    expect(await profile(mia.igsid)).toEqual({ id: mia.igsid, name: 'Mia Vogel' });
    await stage.control('settings', { app_features: ['business_asset_user_profile_access'] });
    expect(await profile(mia.psid)).toEqual({ id: mia.psid, name: 'Mia Vogel' });
  });

  test('human_agent_needs_feature: the tag is refused without it', async () => {
    await written(page, mia.psid);
    const tagged = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
    const send = (): Promise<unknown[]> => stage.sendPage(mia.psid, { text: 'Hi' }, tagged).then(codesOf);
    expect(await send()).toEqual([400, 100, undefined]);
    await stage.control('settings', { app_features: ['human_agent'] });
    expect(await send()).toEqual([200, undefined, undefined]);
    await stage.control('settings', { app_features: [], human_agent_needs_feature: false });
    expect(await send()).toEqual([200, undefined, undefined]);
  });
});
