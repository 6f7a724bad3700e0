/** A list whose pages are too much data for upstream is read in smaller pages. [upstream §3.6] */
import { expect, test } from '@jest/globals';
import { sampleTemplatePage } from './samples/templates.ts';
import { channelOf, faultOf, json } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server, upstream } = await openUpstream();

const tooMuch = json(
  {
    error: {
      code: 1,
      message: "Please reduce the amount of data you're asking for, then retry your request",
    },
  },
  500,
);
const given = json({ access_token: 'EAAtoken' });
const granted = json({
  data: ['pages_show_list', 'pages_messaging', 'pages_manage_metadata'].map((permission) => ({
    permission,
    status: 'granted',
  })),
});
const inspected = json({ data: { is_valid: true, type: 'USER' } });
const readPages = () =>
  upstream.admin.readAssets({ channelType: 'pagechat', code: 'c', redirectUri: 'https://svc.example/cb' });
const pageItem = (id: string) => ({ id, name: id, access_token: `EAApage${id}` });
const pageOf = (items: unknown[], after?: string): Reply =>
  json({
    data: items,
    ...(after === undefined ? {} : { paging: { cursors: { after }, next: 'https://graph.example' } }),
  });
const asked = (from: number) =>
  server.received
    .slice(from)
    .filter(({ path }) => path !== '/me/businesses')
    .map(({ query }) => [query['limit'], query['after'] ?? null]);

test('pages of assets get smaller, and stay small for the rest of the list', async () => {
  server.script(
    given,
    given,
    inspected,
    granted,
    pageOf([pageItem('1')], 'ONE'),
    tooMuch,
    pageOf([pageItem('2')], 'TWO'),
    tooMuch,
    pageOf([pageItem('3')]),
  );
  expect((await readPages()).assets.map(({ identity }) => identity)).toEqual(['1', '2', '3']);
  expect(asked(4)).toEqual([
    ['100', null],
    ['100', 'ONE'],
    ['25', 'ONE'],
    ['25', 'TWO'],
    ['10', 'TWO'],
  ]);
});

test('a list that is too much data in the smallest pages fails with what upstream says', async () => {
  server.script(given, given, inspected, granted, tooMuch);
  expect((await faultOf(readPages())).message).toContain('reduce the amount of data');
  expect(asked(4).map(([limit]) => limit)).toEqual(['100', '25', '10']);
});

test('another refusal is not repeated', async () => {
  server.script(given, given, inspected, granted, json({ error: { code: 2, message: 'down' } }, 500));
  await faultOf(readPages());
  expect(asked(4)).toEqual([['100', null]]);
});

test('pages of templates get smaller too', async () => {
  const [item] = sampleTemplatePage.data;
  server.script(tooMuch, pageOf([item], 'ONE'), pageOf([{ ...item, id: '92' }]));
  expect(await upstream.templates.list(channelOf('chatapp'))).toHaveLength(2);
  expect(asked(0)).toEqual([
    ['100', null],
    ['25', null],
    ['25', 'ONE'],
  ]);
});
