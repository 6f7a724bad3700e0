/** Pages of an account that has many of something still answer the question on the first screen. */
import { beforeAll, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';
import { adminToken } from '../../support/service.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { asset } from '../../support/world.ts';
import { cameBack, connectedAt, newVisitor, Visitor } from '../../pages/visitor.ts';

const licences = 23;

const world = sharedWorld();
let owner: Visitor & { email: string };
let accountId: string;
beforeAll(async () => {
  owner = await newVisitor(world);
  const { body } = await world.service.admin('GET', '/accounts?limit=1000');
  accountId = body.accounts.find((each: { email: string }) => each.email === owner.email).account_id;
  for (let n = 0; n < licences; n += 1) await grant({ expires_at: inDays(4) });
});

const begun = Date.now();
const inDays = (days: number): string => new Date(begun + days * dayMs).toISOString();
const grant = (over: object) =>
  world.service.admin('POST', `/accounts/${accountId}/subscriptions`, {
    tier: 'pro',
    source: 'enterprise',
    ...over,
  });

class Operator extends Visitor {
  override get csrf(): string {
    const session = this.cookies.get('trunkline_operator') ?? this.cookies.get('trunkline_operator_visit');
    return hashSecret(`csrf:${session ?? ''}`);
  }
}

async function entered(): Promise<Operator> {
  const operator = new Operator(world);
  await operator.ask('/operators/enter');
  await operator.post('/operators/enter', { token: adminToken });
  return operator;
}

/** The text as a person reads it. */
const wordsOf = (html: string): string => html.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');

test('Home shows licences that end on one day in one line', async () => {
  await grant({ tier: 'starter', expires_at: inDays(5) });
  const words = wordsOf((await owner.ask('/portal')).text);
  expect(words).toContain(
    `${licences} licences (pro) end in 4 d: their channels stop unless they are renewed`,
  );
  expect(words).toContain('A licence (starter) ends in 5 d: its channels stop unless it is renewed');
});

test('Billing says which slots there are before it lists many licences, and after a few', async () => {
  const few = (await (await newVisitor(world)).ask('/portal/billing')).text;
  expect(few.indexOf('<h2>Slots</h2>')).toBeGreaterThan(few.indexOf('data-head="Tier"'));
  const { text } = await owner.ask('/portal/billing');
  expect(text.indexOf('<h2>Slots</h2>')).toBeGreaterThan(0);
  expect(text.indexOf('<h2>Slots</h2>')).toBeLessThan(text.indexOf('<h2>Licences</h2>'));
});

test("the console's account page shows the newest licences, those with channels first, and how many more there are", async () => {
  await world.simulator.control('dialog', { auto: 'allow', assets: [asset.pagechat], times: 1 });
  const started = await owner.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, owner, started.location);
  const { body: licence } = await grant({ expires_at: null });
  await grant({ expires_at: null });
  const channelId = connectedAt(location).slice('/portal/channels/'.length);
  await world.service.admin('PATCH', `/channels/${channelId}`, { subscription_id: licence.id });
  const { text } = await (await entered()).ask(`/operators/accounts/${accountId}`);
  const counts = [...text.matchAll(/data-head="Channels"[^>]*>(\d+)</g)].map(([, count]) => count);
  expect([counts.length, counts[0], counts[1]]).toEqual([10, '1', '0']);
  // Including the trial, and the licences of this test and the previous one.
  expect(text).toContain(`And ${licences + 4 - 10} more.`);
});

test('the console makes a link for a person whom the account invited, and for one who has joined', async () => {
  const email = 'second@example.com';
  await owner.post('/portal/people', { email, role: 'developer' });
  const operator = await entered();
  const page = `/operators/accounts/${accountId}`;
  const { text } = await operator.ask(page);
  const [, person = ''] =
    /href="([^"]+\/people\/[^"]+\/role)"[^>]*>Change<span class="unseen"> second@/.exec(text) ?? [];
  const asked = (await operator.ask(person)).text;
  const [, action = ''] = /action="([^"]+\/people\/[^"]+\/link)"/.exec(asked) ?? [];
  expect(wordsOf(asked)).toContain('Make a link to join');
  const made = (await operator.post(action)).text;
  expect(wordsOf(made)).toContain(`For ${email}. Give it only to that person`);
  const link = /\/portal\/invitation\?token=([\w-]{43})/.exec(made);
  const second = new Visitor(world);
  await second.ask(link?.[0] ?? '');
  const joined = await second.post('/portal/invitation', {
    token: link?.[1] ?? '',
    password: 'a password of theirs',
  });
  expect(joined.location).toBe('/portal');
  const again = (await operator.post(action)).text;
  expect(again).toContain('/portal/reset?token=');
  const ofOwner = action.replace(/people\/[^/]+/, `people/${accountId}`);
  expect((await operator.post(ofOwner)).status).toBe(404);
});

test("the console's channel page names its account", async () => {
  const { text } = await (await entered()).ask(`/operators/accounts?q=${accountId}`);
  expect(text).toContain(owner.email);
  const channels = (await (await entered()).ask(`/operators/accounts/${accountId}`)).text;
  const [, channel = ''] = /href="(\/operators\/channels\/[^"]+)"/.exec(channels) ?? [];
  expect((await (await entered()).ask(channel)).text).toContain(
    `<a href="/operators/accounts/${accountId}"><bdi>${owner.email}</bdi></a>`,
  );
});

test('the start time of a replay is parsed as people write it; an invalid one is reported', async () => {
  for (const [since, shown] of [
    ['2026-11-27', '27 Nov, 00:00:00'],
    ['2026-11-27T09:30', '27 Nov, 09:30:00'],
    ['2026-11-27T09:30:05Z', '27 Nov, 09:30:05'],
  ] as const) {
    const { status, text } = await owner.ask(`/portal/deliveries/replay?since=${encodeURIComponent(since)}`);
    expect([since, status, text]).toEqual([since, 200, expect.stringContaining('Nothing to replay')]);
    expect(text).toContain(`>${shown}</time>`);
  }
  for (const since of ['', 'yesterday', '2026-13-99', '27.11.2026']) {
    const { location } = await owner.ask(`/portal/deliveries/replay?since=${since}`);
    expect([since, location]).toEqual([since, '/portal/deliveries?no-time#replay-since']);
  }
  const { text } = await owner.ask('/portal/deliveries?no-time');
  expect(text).toContain('write the time as 2026-11-27T09:30.');
});
