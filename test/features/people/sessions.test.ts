/** The sessions of a person: where, since when, and their end. [faults: 377] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { nameAgent } from '../../../src/features/people/agent.ts';
import { newVisitor, Visitor } from '../../pages/visitor.ts';
import { password } from '../../pages/browsing.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { openService } from '../support/service.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { until } from '../../support/until.ts';

const world = sharedWorld();
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

let owner: Visitor & { email: string };
beforeAll(async () => {
  owner = await newVisitor(world);
});

/** The owner, signed in from another browser. */
async function again(agent: string, email = owner.email): Promise<Visitor> {
  const visitor = new Visitor(world);
  await visitor.ask('/portal/sign-in');
  const form = { csrf: visitor.csrf, email, password };
  const { location } = await visitor.ask('/portal/sign-in', form, { 'user-agent': agent });
  expect(location).toBe('/portal');
  return visitor;
}

const pageOf = async (visitor: Visitor): Promise<string> => (await visitor.ask('/portal/account')).text;
const idsIn = (page: string): string[] =>
  [...page.matchAll(/sessions\/([0-9a-f]{64})\/end/g)].map(([, id = '']) => id);

test('each sign-in is listed with its browser and address; this browser is marked', async () => {
  await again(firefox);
  const phone = await again(safari);
  const page = await pageOf(phone);
  expect(page).toContain('Firefox on Linux');
  expect(page).toContain('Safari on iOS');
  expect(page).toContain('127.0.0.1');
  expect(page.match(/this browser/g)).toHaveLength(1);
});

test('a session that is ended is over at once; the others go on', async () => {
  const [here, there] = [await again(firefox), await again(safari)];
  const known = idsIn(await pageOf(here));
  const other = await again(firefox);
  const [id = ''] = idsIn(await pageOf(here)).filter((each) => !known.includes(each));
  expect((await here.post(`/portal/account/sessions/${id}/end`)).location).toBe('/portal/account?ended');
  expect((await other.ask('/portal/account')).location).toContain('/portal/sign-in');
  expect((await there.ask('/portal/account')).status).toBe(200);
  expect((await here.post(`/portal/account/sessions/${id}/end`)).status).toBe(404);
});

test('a session of somebody else is not found, and goes on', async () => {
  const stranger = await newVisitor(world);
  await again(firefox, stranger.email);
  const [theirs = ''] = idsIn(await pageOf(stranger));
  expect((await owner.post(`/portal/account/sessions/${theirs}/end`)).status).toBe(404);
  expect(idsIn(await pageOf(stranger))).toContain(theirs);
});

test.each(['x', '%00', 'a'.repeat(65), '../../keys'])('the id %.20s is not found', async (id) => {
  const { status } = await owner.post(`/portal/account/sessions/${encodeURIComponent(id)}/end`);
  expect(status).toBe(404);
});

test('all other sessions end at once', async () => {
  const others = [await again(firefox), await again(safari), owner];
  const here = await again(firefox);
  await here.post('/portal/account/sessions/end-others');
  for (const each of others) expect((await each.ask('/portal')).location).toContain('/portal/sign-in');
  expect(idsIn(await pageOf(here))).toEqual([]);
});

const closeLater = closeAfterEach();

test('the last use is noted once an hour, and no page waits for it', async () => {
  const service = await openService();
  const { features, stores, clock } = service;
  closeLater(() => service.close());
  const email = 'hour@example.com';
  const { secret } = await features.signUp({ email, password, address: '192.0.2.1' });
  const visitor = await features.visitor(secret);
  if (visitor === null) throw new Error('not signed in');
  const stored = async () => (await stores.passes.list(visitor.personId, 'session', clock.now()))[0]?.seenAt;
  clock.pass(hourMs - 1);
  await features.visitor(secret);
  expect(await stored()).toBeNull();
  clock.pass(1);
  await features.visitor(secret);
  const seenAt = clock.now();
  await until('the use is stored', async () => (await stored()) === seenAt);
  clock.pass(1);
  await features.visitor(secret);
  expect(await stored()).toBe(seenAt);
});

describe('the name of a browser', () => {
  test.each([
    ['Firefox', firefox, 'Firefox on Linux'],
    ['none', undefined, null],
    ['an empty one', '', null],
    ['a long one', `Mozilla/5.0 ${'('.repeat(10_000)}`, null],
    ['no browser', 'curl/8.5.0', null],
  ])('%s', (_what, header, name) => {
    expect(nameAgent(header)).toBe(name);
  });

  test('has no control characters, whatever the header says', () => {
    expect(nameAgent('Evil\u202e\u001b[31m/1.0 (Android)') ?? '').not.toMatch(/[\p{C}]/u);
  });
});
