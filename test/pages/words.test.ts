/** [portal: How it looks] A thing has the same name on every page, and things with the same name are distinguished. */
import { beforeAll, expect, test } from '@jest/globals';
import { places } from '../../src/features/pages.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newBusiness } from '../support/setup.ts';
import { accountIdOf, cameBack, connectedAt, newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const world = sharedWorld();
let visitor: Visitor & { email: string };
let channel: string;
let accountId: string;

/** With a licence of an operator, which lasts longer than the trial. */
beforeAll(async () => {
  visitor = await newVisitor(world);
  accountId = await accountIdOf(world, visitor);
  const grant = { tier: 'pro', source: 'enterprise' };
  await world.service.admin('POST', `/accounts/${accountId}/subscriptions`, grant);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, visitor, begun.location);
  channel = connectedAt(location);
});

const textOf = async (path: string): Promise<string> => (await visitor.ask(path)).text;

test('a key is listed on Redirects with the same name and characters as on Keys', async () => {
  await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
  const [, ends] =
    /<bdi class="nowrap">(mip_live_[\w-]+…[\w-]{4})<\/bdi>/.exec(await textOf('/portal/keys')) ?? [];
  expect(ends).toBeDefined();
  expect(await textOf('/portal/redirects')).toContain(`>shop (${ends})</option>`);
});

test("a channel's page names its licence's source like Billing does, and Billing links to the channel", async () => {
  expect(await textOf(channel)).toContain('pro (granted)');
  const billing = await textOf('/portal/billing');
  expect(billing).toContain('granted');
  expect(billing).toContain(`<a href="${channel}">`);
});

test(`a message's history names upstream's refusal like the page's head does: "upstream" is a word for programs`, async () => {
  const recipient = '8800000000000991';
  await world.simulator.control('faults', { match: { recipient }, act: 'refuse', code: 551 });
  const once = crypto.randomUUID();
  await visitor.post(`${channel}/send`, { recipient, text: 'Does this reach anybody?', once });
  const [path] = /\/portal\/channels\/[^"]+\/messages\/[^"]+/.exec(await textOf('/portal/messages')) ?? [];
  const way = await textOf(path ?? '');
  expect(way.match(/the platform says: /g)).toHaveLength(2);
  expect(way).not.toContain('upstream');
});

test('Home shows the channel type of a channel that needs attention, because another may have its name', async () => {
  const { body } = await world.service.admin('GET', `/accounts/${accountId}`);
  for (const { id } of body.subscriptions)
    await world.service.admin('PATCH', `/subscriptions/${id}`, { status: 'canceled' });
  expect(await textOf('/portal')).toMatch(/<a href="\/portal\/billing"><bdi>[^<]+<\/bdi> \(pagechat\)<\/a>/);
});

test('a day that is typed is one in UTC, and says so; where a filter takes times, their zone is said', async () => {
  const [days, times] = [new Set<string>(), new Set<string>()];
  for (const page of [...places.map(({ path }) => path), '/portal/audit']) {
    const text = await textOf(page);
    const labels = text.match(/<label for="\w+">[^<]*[Dd]ay[^<]*<\/label>/g) ?? [];
    if (labels.length > 0) days.add(page);
    expect([page, labels.filter((label) => !label.includes('(UTC)'))]).toEqual([page, []]);
    if (!text.includes('type="datetime-local"')) continue;
    times.add(page);
    expect([page, text.includes('Times in')]).toEqual([page, true]);
  }
  expect([...days]).toEqual(['/portal/keys']);
  expect([...times]).toEqual(
    expect.arrayContaining(['/portal/deliveries', '/portal/messages', '/portal/audit']),
  );
});

test('a removed channel is distinguished from others where its slot is shown', async () => {
  expect(await textOf('/portal/billing')).toContain(' (pagechat)');
  await visitor.post(`${channel}/remove`);
  expect(await textOf('/portal/billing')).toContain(' (pagechat, removed)');
});
