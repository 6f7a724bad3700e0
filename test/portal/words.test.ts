/** [portal: How it looks] One thing is called the same on every page, and what has the same name is told apart. */
import { beforeAll, expect, test } from '@jest/globals';
import { sharedWorld } from '../support/shared-world.ts';
import { newBusiness } from '../support/setup.ts';
import { cameBack, newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const world = sharedWorld();
let visitor: Visitor & { email: string };
let channel: string;
let accountId: string;

/** On a licence that an operator granted: it lasts longer than the trial. */
beforeAll(async () => {
  visitor = await newVisitor(world);
  const { body } = await world.service.admin('GET', `/accounts?email=${visitor.email}`);
  accountId = body.accounts[0].account_id;
  const grant = { tier: 'pro', source: 'enterprise' };
  await world.service.admin('POST', `/accounts/${accountId}/subscriptions`, grant);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, visitor, begun.location);
  channel = (location ?? '').replace('?connected', '');
});

const textOf = async (path: string): Promise<string> => (await visitor.ask(path)).text;

test('a key is chosen on Redirects by the name and the ends that Keys shows', async () => {
  await visitor.post('/portal/keys', { name: 'shop' });
  const [, ends] =
    /<bdi class="nowrap">(mip_live_[\w-]+…[\w-]{4})<\/bdi>/.exec(await textOf('/portal/keys')) ?? [];
  expect(ends).toBeDefined();
  expect(await textOf('/portal/redirects')).toContain(`>shop (${ends})</option>`);
});

test('a channel’s page says where its licence is from as Billing says it, and Billing leads to the channel', async () => {
  expect(await textOf(channel)).toContain('pro (granted)');
  const billing = await textOf('/portal/billing');
  expect(billing).toContain('granted');
  expect(billing).toContain(`<a href="${channel}">`);
});

test('a message’s way tells the platform’s refusal as the page’s head does: upstream is a word for programs', async () => {
  const recipient = '8800000000000991';
  await world.simulator.control('faults', { match: { recipient }, act: 'refuse', code: 551 });
  const once = crypto.randomUUID();
  await visitor.post(`${channel}/send`, { recipient, text: 'Does this reach anybody?', once });
  const [path] = /\/portal\/channels\/[^"]+\/messages\/[^"]+/.exec(await textOf('/portal/messages')) ?? [];
  const way = await textOf(path ?? '');
  expect(way.match(/the platform says: /g)).toHaveLength(2);
  expect(way).not.toContain('upstream');
});

test('Home says of which kind a channel is that needs somebody: another may have its name', async () => {
  const { body } = await world.service.admin('GET', `/accounts/${accountId}`);
  for (const { id } of body.subscriptions)
    await world.service.admin('PATCH', `/subscriptions/${id}`, { status: 'canceled' });
  expect(await textOf('/portal')).toMatch(/<a href="\/portal\/billing"><bdi>[^<]+<\/bdi> \(pagechat\)<\/a>/);
});

test('days that are asked for are days of UTC, and say so', async () => {
  for (const page of ['/portal/deliveries', '/portal/messages', '/portal/audit']) {
    const days = (await textOf(page)).match(/<label for="\w+">[^<]*[Dd]ay[^<]*<\/label>/g) ?? [];
    expect([page, days.length > 0]).toEqual([page, true]);
    expect(days.filter((label) => !label.includes('(UTC)'))).toEqual([]);
  }
});

test('a channel that was removed is told from others where its slot is looked for', async () => {
  expect(await textOf('/portal/billing')).toContain(' (pagechat)');
  await visitor.post(`${channel}/remove`);
  expect(await textOf('/portal/billing')).toContain(' (pagechat, removed)');
});
