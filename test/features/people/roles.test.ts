/** [operator-interface §4, people of an account] The permissions of the roles: every form of the portal, by the route table. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { mayAs } from '../../../src/rules/person.ts';
import type { Role } from '../../../src/rules/person.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { pageRoutes, places } from '../../../src/features/pages.ts';
import { invited, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { sharedWorld } from '../../support/shared-world.ts';

const world = sharedWorld();
const of: Partial<Record<Role, Visitor>> = {};
beforeAll(async () => {
  const owner = await newVisitor(world);
  of.owner = owner;
  for (const role of ['developer', 'viewer'] as const) of[role] = await invited(world, owner, role);
});

const pages = pageRoutes.filter(({ path }) => path.startsWith('/portal'));
const posts = pages.filter(({ method }) => method === 'post');
const mayOf = (route: (typeof pages)[number]): Role | undefined =>
  route.audience === 'open' ? route.may : undefined;

test('every form of the portal names the roles that may send it, except for those before sign-in', () => {
  const open = posts.filter((route) => mayOf(route) === undefined).map(({ path }) => path);
  expect(open.toSorted()).toEqual(
    ['confirm', 'forgot', 'invitation', 'new-address', 'reset', 'sign-in', 'sign-in/code', 'sign-up'].map(
      (name) => `/portal/${name}`,
    ),
  );
});

const guarded = pages.flatMap((route) => {
  const may = mayOf(route);
  return may === undefined || may === 'viewer' ? [] : [[route.method, route.path, may] as const];
});

describe.each(['viewer', 'developer'] as const)('a %s', (role) => {
  const refused = guarded.filter(([, , may]) => !mayAs(role, may));

  test('some forms are forbidden', () => expect(refused.length).toBeGreaterThan(4));

  test.each(refused)('%s %s is refused with a page that says who may send it', async (method, path, may) => {
    const visitor = of[role];
    const target = path.replaceAll(/\{\w+\}/g, newId());
    const answer = await (method === 'post' ? visitor?.post(target) : visitor?.ask(target));
    expect(answer?.status).toBe(403);
    expect(answer?.text).toContain(`You are a ${role} of this account`);
    expect(answer?.text).toContain(may === 'owner' ? 'its owners' : 'its developers and owners');
    expect(answer?.text).toContain('href="/portal/people"');
  });
});

test("a developer may send the developers' forms", async () => {
  for (const [, path] of guarded.filter(([method, , may]) => method === 'post' && may === 'developer')) {
    const answer = await of.developer?.post(path.replaceAll(/\{\w+\}/g, newId()));
    expect([path, answer?.status === 403]).toEqual([path, false]);
  }
});

test('a viewer sees every page of the navigation, and a notice that the role is read-only', async () => {
  const home = await of.viewer?.ask('/portal');
  const paths = [...(home?.text ?? '').matchAll(/<a href="(\/portal[\w/-]*)"/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(8);
  for (const path of new Set(paths)) {
    const page = await of.viewer?.ask(path);
    expect([path, page?.status]).toEqual([path, 200]);
    expect(page?.text).toContain('You are a viewer of this account');
  }
});

/** What everybody may: leave, and copy the line that follows the events. */
const everybodys: Readonly<Record<string, string[]>> = {
  '/portal/people': ['<a class="button quiet" href="/portal/people/leave"'],
  '/portal/live': ['below'],
};

test('on a page whose main part is not ours the notice is in a landmark of its own', async () => {
  const page = await of.viewer?.ask('/docs');
  expect(page?.text).toContain('<section aria-label="Notes"><p class="note">You are a viewer');
});

test('a viewer of an account without a key or channel is not asked to make one', async () => {
  const owner = await newVisitor(world);
  const viewer = await invited(world, owner, 'viewer');
  const asked = async (visitor: Visitor, path: string): Promise<string[]> => {
    const { text } = await visitor.ask(path);
    const main = text.slice(text.indexOf('<main'));
    return [...main.matchAll(/<a class="button[^"]*" href="([^"]+)"|\bbelow\b/g)].map(([found]) => found);
  };
  const asking: string[] = [];
  for (const { path } of places.filter(
    (place) => place.may === undefined && place.path.startsWith('/portal'),
  )) {
    expect([path, await asked(viewer, path)]).toEqual([path, everybodys[path] ?? []]);
    if ((await asked(owner, path)).length > 0) asking.push(path);
  }
  expect(asking.length).toBeGreaterThan(7);
});

test('a viewer is offered nothing to replay', async () => {
  const owner = of.owner;
  const [, key = ''] = /(mip_live_[\w-]{43})/.exec((await keyOf(owner)).text) ?? [];
  const channel = await world.connect({ key }, 'pagechat');
  world.inbox.answerNext(500);
  await world.write(channel, { text: 'Are you open?', wait: true });
  const page = (visitor?: Visitor) => visitor?.ask('/portal/deliveries');
  for (const [role, isOffered] of [
    ['viewer', false],
    ['developer', true],
  ] as const) {
    const { text } = (await page(of[role])) ?? { text: '' };
    expect(text).toContain('pending');
    expect([
      role,
      text.includes('Send the selected ones again'),
      text.includes('Replay all that failed'),
    ]).toEqual([role, isOffered, isOffered]);
  }
});

/** The routes that a URL matches. */
function routesAt(address: string): typeof pages {
  const path = address.replace(/[?#].*/, '');
  const leadsHere = (route: string) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const exact = pages.filter((route) => route.path === path);
  return exact.length > 0 ? exact : pages.filter((route) => leadsHere(route.path));
}

/** The forbidden offers of this page for a viewer: forms, and links to what such a form does. */
async function offeredTo(visitor: Visitor | undefined, path: string): Promise<string[]> {
  const { text } = (await visitor?.ask(path)) ?? { text: '' };
  const found = [...text.matchAll(/<form method="post" action="([^"]+)"|<a [^>]*href="([^"]+)"/g)];
  const isWay = (to: string) => /\/(revoke|remove|secret|new|edit|delete|send)(\?|$)/.test(to);
  const addresses = found.flatMap(([, form, to = '']) =>
    form === undefined && !isWay(to) ? [] : [form ?? to],
  );
  return addresses.filter((each) =>
    routesAt(each).some((route) => !mayAs('viewer', mayOf(route) ?? 'viewer')),
  );
}

test('a viewer is offered no forbidden form and no link to one', async () => {
  const [, key = ''] = /(mip_live_[\w-]{43})/.exec((await keyOf(of.owner)).text) ?? [];
  const channel = await world.connect({ key }, 'chatapp', { webhookUrl: world.inbox.url });
  await of.owner?.post('/portal/redirects', { uri_pattern: 'https://app.example.com/done' });
  const own = `/portal/channels/${channel.id}`;
  const forDevelopers = [
    `${own}/webhook`,
    '/portal/channels',
    '/portal/keys',
    '/portal/redirects',
    '/portal/templates',
  ];
  for (const path of [...forDevelopers, '/portal', '/portal/people', '/portal/billing']) {
    expect([path, await offeredTo(of.viewer, path)]).toEqual([path, []]);
    const isOffered = (await offeredTo(of.developer, path)).length > 0;
    expect([path, isOffered]).toEqual([path, forDevelopers.includes(path)]);
  }
  expect((await of.viewer?.ask(`${own}/webhook`))?.text).toContain('<fieldset disabled');
});

test('the query of a webhook URL is shown only to those who may set it: a viewer sees its parameter names', async () => {
  const [, key = ''] = /(mip_live_[\w-]{43})/.exec((await keyOf(of.owner)).text) ?? [];
  const channel = await world.connect({ key }, 'photoapp');
  const body = { webhook_url: 'https://hooks.example.com/in?token=of-the-receiver' };
  await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key, body });
  const shown = async (visitor?: Visitor): Promise<string | undefined> =>
    /value="https:[^"]*"/.exec(
      (await visitor?.ask(`/portal/channels/${channel.id}/webhook`))?.text ?? '',
    )?.[0];
  expect(await shown(of.developer)).toContain('token=of-the-receiver');
  expect(await shown(of.viewer)).toContain('https://hooks.example.com/in?token=…');
});

/** The page that shows a new key once. */
async function keyOf(owner?: Visitor) {
  await owner?.post('/portal/keys', { name: 'deliveries', scope: 'admin' });
  return (await owner?.ask('/portal/keys/made')) ?? { text: '' };
}

test("a key's list entry shows who made it", async () => {
  expect((await of.developer?.post('/portal/keys', { name: 'shop', scope: 'admin' }))?.location).toBe(
    '/portal/keys/made',
  );
  expect((await of.owner?.ask('/portal/keys'))?.text).toContain('developer-of-visitor-1@example.com');
});
