/** [upstream §2.1] The pages that a person granted, from whichever list has them. */
import { describe, expect, test } from '@jest/globals';
import { makeProof } from '../../src/upstream/credentials.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { PickedAssets } from '../../src/upstream/connecting-calls.ts';
import { sampleAccounts, sampleToken } from './samples/connecting.ts';
import { adapterTo, appSecret, byPath, faultOf, json, raw } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server, upstream, lines } = await openUpstream();

const code = 'AQB-very-secret-code';
const redirectUri = 'https://svc.example/setup/callback';
const read = (channelType: ChannelType = 'pagechat'): Promise<PickedAssets> =>
  upstream.admin.readAssets({ channelType, code, redirectUri });
const refusal = (errorCode: number, status = 400): Reply =>
  json({ error: { message: `(#${errorCode}) No`, type: 'OAuthException', code: errorCode } }, status);
const permissions = (names: readonly string[]) =>
  json({ data: names.map((permission) => ({ permission, status: 'granted' })) });
const pageItem = (id: string, members: object = {}) => ({
  id,
  name: id,
  access_token: `EAApage${id}`,
  tasks: ['MESSAGING'],
  ...members,
});

const shortToken = json({ ...sampleToken, access_token: 'EAAshort', expires_in: 3600 });
const longToken = json({ ...sampleToken, access_token: 'EAAlong' });
const ofPages = ['pages_show_list', 'pages_messaging', 'pages_manage_metadata'];
const ofPhotos = ['instagram_basic', 'instagram_manage_messages', ...ofPages];
const scope = (name: string, ...targets: string[]) => ({ scope: name, target_ids: targets });
const inspection = (members: object = {}) => json({ data: { is_valid: true, type: 'USER', ...members } });

/** Answers of a flow in which everything was granted; `routes` replaces and adds some. */
function granted(routes: Record<string, Reply | Reply[]>): void {
  server.script(
    byPath({
      '/oauth/access_token': [shortToken, longToken],
      '/debug_token': inspection(),
      '/me/permissions': permissions([...ofPhotos, 'business_management']),
      '/me/accounts': json({ data: [] }),
      '/me/businesses': json({ data: [] }),
      ...routes,
    }),
  );
}
const found = ({ assets }: PickedAssets): string[] => assets.map(({ identity }) => identity);
const called = (): string[] => server.received.map(({ path }) => path);

describe('the list of a person', () => {
  test('a pagechat asset is the page with its own token', async () => {
    granted({ '/me/accounts': json(sampleAccounts) });
    expect(await read()).toEqual({
      assets: [
        {
          channelType: 'pagechat',
          identity: '520000000000005',
          name: 'Harbour Bakery',
          token: 'EAApageTokenInvented',
          tokenExpiresAt: null,
          profile: { type: 'pagechat', pageId: '520000000000005' },
        },
      ],
      unusable: [],
    });
    const app = { client_id: '700100200300400', client_secret: appSecret };
    const proof = { appsecret_proof: makeProof(appSecret, 'EAAlong') };
    expect(server.received.map(({ path, query, headers }) => [path, query, headers.authorization])).toEqual([
      ['/oauth/access_token', { ...app, redirect_uri: redirectUri, code }, undefined],
      [
        '/oauth/access_token',
        { ...app, grant_type: 'fb_exchange_token', fb_exchange_token: 'EAAshort' },
        undefined,
      ],
      [
        '/debug_token',
        expect.objectContaining({ input_token: 'EAAlong' }),
        `Bearer 700100200300400|${appSecret}`,
      ],
      ['/me/permissions', { limit: '100', ...proof }, 'Bearer EAAlong'],
      [
        '/me/accounts',
        {
          fields:
            'id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}',
          limit: '100',
          ...proof,
        },
        'Bearer EAAlong',
      ],
    ]);
  });

  test('a photoapp asset is the account linked to the page; a page without one is named', async () => {
    granted({ '/me/accounts': json({ data: [pageItem('15'), ...sampleAccounts.data] }) });
    expect(await read('photoapp')).toMatchObject({
      assets: [
        {
          channelType: 'photoapp',
          identity: '17840000000000006',
          name: 'harbour.bakery',
          token: 'EAApageTokenInvented',
          profile: {
            type: 'photoapp',
            accountId: '17840000000000006',
            username: 'harbour.bakery',
            pageId: '520000000000005',
          },
        },
      ],
      unusable: [{ identity: '15', name: '15', why: 'no_photo_account' }],
    });
  });

  test('of names of a hundred kilobytes, which every page about the channel would show, the beginning is kept', async () => {
    const name = 'n'.repeat(100_000);
    const account = { id: '17840000000000006', username: name };
    const item = pageItem('1', { name, instagram_business_account: account });
    const username = 'n'.repeat(512);
    granted({ '/me/accounts': json({ data: [item] }) });
    expect(await read()).toMatchObject({ assets: [{ name: username }] });
    granted({ '/me/accounts': json({ data: [item] }) });
    expect(await read('photoapp')).toMatchObject({ assets: [{ name: username, profile: { username } }] });
  });

  test('every page of the list is read in order; pages that cannot be used are listed with the reason', async () => {
    const next = 'http://elsewhere.example/steal';
    granted({
      '/debug_token': inspection({ granular_scopes: [scope('pages_messaging', '1', '2', '3', '4', '5')] }),
      '/me/accounts': [
        json({
          data: [pageItem('1'), pageItem('2', { tasks: ['ANALYZE'] })],
          paging: { cursors: { after: 'c1' }, next },
        }),
        json({
          data: [
            pageItem('3', { access_token: undefined }),
            pageItem('4', { tasks: ['PROFILE_PLUS_MESSAGING'] }),
          ],
          paging: { cursors: { after: 'c2' }, next },
        }),
        json({
          data: [pageItem('5', { tasks: undefined }), pageItem('6')],
          paging: { cursors: { after: 'c3' } },
        }),
      ],
    });
    const picked = await read();
    expect(found(picked)).toEqual(['1', '4', '5']);
    expect(picked.unusable).toEqual([
      { identity: '2', name: '2', why: 'no_messaging_task' },
      { identity: '3', name: '3', why: 'no_token' },
      { identity: '6', name: '6', why: 'permission_missing', permission: 'pages_messaging' },
    ]);
    const lists = server.received.filter(({ path }) => path === '/me/accounts');
    expect(lists.map(({ query }) => query['after'])).toEqual([undefined, 'c1', 'c2']);
  });

  test.each(['MANAGE', 'PROFILE_PLUS_MANAGE', 'PROFILE_PLUS_FULL_CONTROL'])(
    'a page with the task %s alone is offered: upstream decides whether it includes messages',
    async (task) => {
      granted({ '/me/accounts': json({ data: [pageItem('1', { tasks: [task] })] }) });
      expect(found(await read())).toEqual(['1']);
    },
  );

  test('at most fifty pages of an endless list are read, and a list that repeats its cursor is not read further', async () => {
    let page = 0;
    granted({
      '/me/accounts': (received, response) => {
        page += 1;
        json({ data: [], paging: { cursors: { after: `c${page}` }, next: 'x' } })(received, response);
      },
    });
    expect(await read()).toEqual({ assets: [], unusable: [] });
    expect(page).toBe(50);
    granted({ '/me/accounts': json({ data: [], paging: { cursors: { after: 'c' }, next: 'x' } }) });
    expect(await read()).toEqual({ assets: [], unusable: [] });
    expect(called().filter((path) => path === '/me/accounts')).toHaveLength(2);
  });
});

describe('pages of a business portfolio', () => {
  const scopes = [scope('pages_show_list', '1', '7'), scope('instagram_basic', '17840000000000006')];

  test("a page that the person's list leaves out is read by the id in the token's scopes, without tasks", async () => {
    granted({
      '/debug_token': inspection({ granular_scopes: scopes }),
      '/me/accounts': json({ data: [pageItem('1')] }),
      '/7': json(pageItem('7', { tasks: undefined })),
    });
    expect(found(await read())).toEqual(['1', '7']);
    const single = server.received.find(({ path }) => path === '/7');
    expect(single?.query['fields']).toBe(
      'id,name,access_token,instagram_business_account{id,username,name,profile_picture_url}',
    );
    expect(single?.headers.authorization).toBe('Bearer EAAlong');
    expect(called()).not.toContain('/me/businesses');
  });

  test('a granted page that upstream does not show is named', async () => {
    granted({
      '/debug_token': inspection({ granular_scopes: scopes }),
      '/1': refusal(10, 403),
      '/7': refusal(100),
    });
    expect(await read()).toEqual({
      assets: [],
      unusable: [
        { identity: '1', name: null, why: 'unreadable' },
        { identity: '7', name: null, why: 'unreadable' },
      ],
    });
  });

  test('a page without a usable answer is named, and the others are offered', async () => {
    granted({
      '/debug_token': inspection({ granular_scopes: scopes }),
      '/1': raw('<html>Bad Gateway</html>', 502),
      '/7': json(pageItem('7')),
    });
    const picked = await read();
    expect([found(picked), picked.unusable]).toEqual([
      ['7'],
      [{ identity: '1', name: null, why: 'unreadable' }],
    ]);
  });

  test('if the token names none, the portfolios are asked; pages that were not granted have no token and are dropped', async () => {
    granted({
      '/me/businesses': json({ data: [{ id: '70' }, { id: '71' }] }),
      '/70/owned_pages': json({ data: [pageItem('1'), pageItem('2', { access_token: undefined })] }),
      '/70/client_pages': json({ data: [pageItem('3')] }),
      '/71/owned_pages': refusal(200, 403),
      '/71/client_pages': json({ data: [pageItem('1')] }),
    });
    const picked = await read();
    expect([found(picked), picked.unusable]).toEqual([['1', '3'], []]);
  });

  test('if all pages were granted, the token names none: the portfolios are asked besides the list', async () => {
    granted({
      '/debug_token': inspection({
        granular_scopes: [scope('pages_messaging'), scope('business_management')],
      }),
      '/me/accounts': json({ data: [pageItem('1'), pageItem('2', { access_token: undefined })] }),
      '/me/businesses': json({ data: [{ id: '70' }] }),
      '/70/owned_pages': json({ data: [pageItem('1'), pageItem('2')] }),
      '/70/client_pages': json({ data: [pageItem('3')] }),
    });
    const picked = await read();
    expect([found(picked), picked.unusable]).toEqual([['1', '2', '3'], []]);
  });

  test('a page that two lists have, or one has twice, is offered once', async () => {
    granted({ '/me/accounts': json({ data: [pageItem('1'), pageItem('1')] }) });
    expect(found(await read())).toEqual(['1']);
  });

  test("a refused list of the person's pages is no end: the token names the page", async () => {
    granted({
      '/debug_token': inspection({ granular_scopes: scopes }),
      '/me/accounts': refusal(100),
      '/1': json(pageItem('1')),
    });
    expect(found(await read())).toEqual(['1']);
  });

  test('a list that failed fails the flow if no page is found', async () => {
    granted({ '/me/accounts': refusal(2, 503) });
    expect((await faultOf(read())).message).toContain('(#2)');
  });

  test('at most fifty pages are read singly, and the lists of ten portfolios', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `${1_000 + at}`);
    granted({
      '/debug_token': inspection({ granular_scopes: [scope('pages_messaging', ...many)] }),
      '/me/businesses': json({ data: many.map((id) => ({ id })) }),
    });
    await read();
    const singles = called().filter((path) => /^\/1\d{3}$/.test(path));
    const lists = called().filter((path) => path.endsWith('_pages'));
    expect([singles.length, lists.length]).toEqual([50, 20]);
  });
});

describe('permissions', () => {
  test('a declined permission is reported by its name', async () => {
    const data = [
      { permission: 'pages_show_list', status: 'granted' },
      { permission: 'pages_messaging', status: 'declined' },
    ];
    granted({ '/me/permissions': json({ data }) });
    await expect(read()).rejects.toMatchObject({
      name: 'PermissionsDeclined',
      permissions: ['pages_messaging', 'pages_manage_metadata'],
    });
  });

  test('photoapp needs pages_messaging too: its page is subscribed to messages', async () => {
    granted({ '/me/permissions': permissions(ofPhotos.filter((name) => name !== 'pages_messaging')) });
    await expect(read('photoapp')).rejects.toMatchObject({ permissions: ['pages_messaging'] });
  });

  test('business_management is asked for only if no page came without it', async () => {
    granted({ '/me/permissions': permissions(ofPages), '/me/accounts': json({ data: [pageItem('1')] }) });
    expect(found(await read())).toEqual(['1']);
    expect(lines.join('')).toContain('upstream.portfolios-not-shown');
    granted({ '/me/permissions': permissions(ofPages) });
    await expect(read()).rejects.toMatchObject({ permissions: ['business_management'] });
  });

  test.each<[string, Reply]>([
    ['refuses', refusal(100)],
    ['has no list', json({ data: [] })],
    ['has no usable answer', raw('<html>Bad Gateway</html>', 502)],
  ])("if upstream %s, the token's own scopes are the granted ones", async (_, reply) => {
    granted({
      '/me/permissions': reply,
      '/debug_token': inspection({
        scopes: ofPages.slice(0, 2),
        granular_scopes: [scope('pages_manage_metadata')],
      }),
      '/me/accounts': json({ data: [pageItem('1')] }),
    });
    expect(found(await read())).toEqual(['1']);
  });

  test('if upstream says neither what is granted nor what the token may, the flow fails and nobody is said to have declined', async () => {
    granted({ '/me/permissions': raw('<html>Bad Gateway</html>', 502) });
    expect((await faultOf(read())).message).toContain('HTTP 502');
  });

  test('without a word about the token, the lists tell what can be used', async () => {
    granted({ '/debug_token': refusal(2, 503), '/me/accounts': json({ data: [pageItem('1')] }) });
    expect(found(await read())).toEqual(['1']);
  });
});

describe('the token of a login configuration', () => {
  test("a system user's is used as it is if upstream does not exchange it, and its end is kept", async () => {
    const { upstream: configured } = adapterTo(server.url, systemClock, { pagesConfigId: '990000000000001' });
    granted({
      '/oauth/access_token': [shortToken, refusal(100)],
      '/debug_token': inspection({ type: 'SYSTEM_USER', expires_at: 1_800_000_000 }),
      '/me/accounts': json({ data: [pageItem('1')] }),
    });
    const picked = await configured.admin.readAssets({ channelType: 'pagechat', code, redirectUri });
    expect(picked).toMatchObject({ assets: [{ identity: '1', tokenExpiresAt: 1_800_000_000_000 }] });
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer EAAshort');
    await configured.close();
  });

  test("a person's that is not exchanged fails the flow: its pages' tokens would end within the hour", async () => {
    granted({ '/oauth/access_token': [shortToken, refusal(2, 503)] });
    expect((await faultOf(read())).message).toContain('(#2)');
  });

  test('no page, and a configuration without business_management: the operator is told, the person cannot help', async () => {
    const { upstream: configured, lines: told } = adapterTo(server.url, systemClock, { pagesConfigId: '99' });
    granted({ '/me/permissions': permissions(ofPages) });
    const picked = await configured.admin.readAssets({ channelType: 'pagechat', code, redirectUri });
    expect(picked).toEqual({ assets: [], unusable: [] });
    expect(told.join('')).toContain('upstream.no-page-found');
    await configured.close();
  });
});
