/**
 * [spec: Authentication 4; faults I6, 82] A resource of another account behaves exactly like one that does not exist. Generated from the
 * route table: a new operation with an id is tested, or fails here until its test data exist.
 */
import { fileForm } from '../support/file-form.ts';
import { everySetting } from '../support/settings.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routeTable } from '../support/routes.ts';
import type { Route } from '../../src/http/route.ts';
import type { Answer } from '../support/api.ts';
import { allowRedirect, home, newBusiness } from '../support/setup.ts';
import { draft } from '../support/templates.ts';
import { newId } from '../../src/kernel/ids.ts';
import { pathIds } from '../../src/http/validation/ids.ts';
import type { PathId } from '../../src/http/validation/ids.ts';
import { until } from '../support/until.ts';
import { newPerson } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let mine: Account;
let theirs: Account;
/** The id of each kind of resource of the other account, by kind. */
const ids: Record<string, string> = {};
/** A channel of the own account, for paths that combine it with another account's id. */
let ownChannel: Channel;
let before: unknown;

const kinds = [
  'active channel',
  'inactive channel',
  'redirect',
  'API key',
  'account',
  'subscription',
  'message',
  'delivery',
  'template',
  'media file',
] as const;

beforeAll(async () => {
  [mine, theirs] = [await newAccount(world.service), await newAccount(world.service)];
  const { pages } = await newBusiness(world.simulator);
  const active = await world.connect(theirs, 'pagechat', { upstream: pages[0]?.id ?? '' });
  const inactive = await world.connect(theirs, 'photoapp', { upstream: pages[0]?.id ?? '' });
  const { phones } = await newBusiness(world.simulator);
  const withTemplates = await world.connect(theirs, 'chatapp', { upstream: phones[0]?.id ?? '' });
  const { phones: own } = await newBusiness(world.simulator);
  ownChannel = await world.connect(mine, 'chatapp', { upstream: own[0]?.id ?? '' });
  await world.service.call('DELETE', `/api/v1/channels/${inactive.id}`, { key: theirs.key });
  await allowRedirect(world.service, theirs.key);
  await allowRedirect(world.service, mine.key);
  const { body } = await world.service.call('GET', '/api/v1/redirects', { key: theirs.key });
  Object.assign(ids, {
    'active channel': active.id,
    'inactive channel': inactive.id,
    redirect: body.redirects[0].id,
    'API key': theirs.apiKeyId,
    account: theirs.accountId,
    subscription: theirs.subscriptionId,
    message: (await world.send(active, 'hello', '8800000000000777')).body.message_id,
    template: await templateOf(withTemplates),
    ...(await receivedBy(active)),
  });
  before = await everythingOf(theirs);
});

async function templateOf({ id, key }: Channel): Promise<string> {
  const body = draft('theirs');
  const made = await world.service.call('POST', `/api/v1/channels/${id}/templates`, { key, body });
  return made.body.id;
}

/** Makes a person write to the channel; returns the ids that this makes: a file, and the delivery of its event. */
async function receivedBy(channel: Channel): Promise<Record<string, string>> {
  await world.write(channel, { type: 'image' }, newPerson('pagechat'));
  const [arrival] = await world.inbox.next(1, ({ event }) => event.event === 'message.received');
  const path = `/api/v1/channels/${channel.id}/deliveries?event=message.received`;
  const { id } = await until('the delivery to be listed', async () => {
    const { body } = await world.service.call('GET', path, { key: channel.key });
    return body.deliveries[0] ?? null;
  });
  return { delivery: id, 'media file': Object(arrival?.event.data['media']).media_id };
}

async function everythingOf({ key }: Account): Promise<unknown[]> {
  const lists = ['channels', 'redirects', 'subscriptions'].map((path) =>
    world.service.call('GET', `/api/v1/${path}`, { key }),
  );
  return (await Promise.all(lists)).map(({ body }) => body);
}

/** For each operation, a body that would succeed if the id belonged to the own account. */
const bodies: Record<string, (id: string) => unknown> = {
  updateChannel: () => everySetting,
  addEndpoint: () => ({ url: 'https://crm.example.com/in', events: [] }),
  updateEndpoint: () => ({ events: [] }),
  replayDeliveries: () => ({ since: '2026-01-01T00:00:00Z' }),
  createTemplate: () => draft('theirs'),
  updateTemplate: () => ({ components: [{ type: 'BODY', text: 'Mine now.' }] }),
  sendText: (id) => ({ channel_id: id, recipient: '8800000000000777', text: 'hello' }),
  sendMedia: (id) => ({
    channel_id: id,
    recipient: '8800000000000777',
    media_type: 'image',
    media_url: 'https://cdn.example.com/a.jpg',
  }),
  uploadMedia: (id) =>
    fileForm({ channel_id: id, media_type: 'image' }, new File(['jpg'], 'a.jpg', { type: 'image/jpeg' })),
  sendInteractive: (id) => ({
    channel_id: id,
    recipient: '8800000000000777',
    interactive_type: 'buttons',
    text: 'Shall we?',
    buttons: [{ id: 'yes', title: 'Yes' }],
  }),
  sendLocation: (id) => ({ channel_id: id, recipient: '4915900000777', latitude: 52.5, longitude: 13.4 }),
  sendContacts: (id) => ({
    channel_id: id,
    recipient: '4915900000777',
    contacts: [{ name: 'Mia Vogt' }],
  }),
  markRead: () => ({ channel_id: ownChannel.id }),
  showTyping: () => ({ channel_id: ownChannel.id }),
  sendReaction: (id) => ({ channel_id: id, recipient: '4915900000777', message_id: newId(), emoji: '👍' }),
  sendTemplate: (id) => ({
    channel_id: id,
    recipient: '4915900000777',
    template_name: 'hello_world',
    language: 'en_US',
  }),
  startSetup: (id) => ({ channel_type: 'pagechat', redirect_uri: home, channel_id: id }),
};

type ApiRoute = Extract<Route, { audience: 'api' }>;
const api = routeTable.filter((route) => route.audience === 'api');
const takesId = (route: ApiRoute): boolean => route.path.includes('{') || idFieldsOf(route).length > 0;
const withId = api.filter(takesId);

/** Body fields that name a resource of an account. */
function idFieldsOf({ bodySchema }: ApiRoute): string[] {
  const properties = bodySchema?.['properties'] ?? {};
  return Object.keys(properties).filter((name) => name.endsWith('_id'));
}

/** Calls the route with this id in every place of its path, except for the channel's if `channelId` is given. */
function ask(route: ApiRoute, id: string, channelId = id): Promise<Answer> {
  const body = bodies[route.name]?.(id);
  const path = route.path
    .replace('{channel_id}', channelId)
    // A person's id is upstream's; it belongs to no account.
    .replace('{user_id}', '8800000000000001')
    .replaceAll(/\{\w+\}/g, id);
  return world.service.call(route.method.toUpperCase(), path, { key: mine.key, body });
}

const withinChannel = withId.filter((route) => /\{channel_id\}.*\{(?!user_id)\w+\}/.test(route.path));
const byQuery = api.filter(({ parameters }) => parameters?.some(isIdOfOurs));

function isIdOfOurs(parameter: NonNullable<ApiRoute['parameters']>[number]): boolean {
  return parameter.in === 'query' && parameter.schema['format'] === 'uuid';
}

/** Some say more than what is not found: where it is looked for. */
const notFound = (what: string) => ({ detail: expect.stringMatching(`^${what} not found(: [^:]+)?$`) });

/** The answer without the members that differ each time. */
function comparable({ status, headers, text }: Answer): unknown {
  const lasting = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: lasting };
}

/** What is no id is looked for nowhere. */
function withoutWhere(answer: Answer): unknown {
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return comparable({ ...answer, headers, text: answer.text.replace(/( not found): [^"]+/, '$1') });
}

/** The kind of resource that is not found: the first in the path, or the last within an existing channel. */
function nameOf({ path }: ApiRoute, isWithinOwn = false): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const name = isWithinOwn ? names.at(-1) : names[0];
  return isPathId(name) ? pathIds[name] : 'Channel';
}

function isPathId(name: string | undefined): name is PathId {
  return name !== undefined && name in pathIds;
}

test('every operation with an id in its path or body is covered here', () => {
  const needsBody = withId.filter((route) => route.bodySchema !== null);
  expect(needsBody.map(({ name }) => name).filter((name) => !(name in bodies))).toEqual([]);
  expect(withId.length).toBeGreaterThanOrEqual(5);
});

describe.each(withId.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    test.each(kinds)("with the id of another account's %s is 404, as with an absent id", async (kind) => {
      const absent = await ask(route, crypto.randomUUID());
      const foreign = await ask(route, ids[kind] ?? '');
      expect([absent.status, absent.body]).toEqual([404, notFound(nameOf(route))]);
      expect(comparable(foreign)).toEqual(comparable(absent));
    });

    test.each([
      ['another case', (id: string) => id.toUpperCase()],
      ['braces', (id: string) => `{${id}}`],
      ['a space', (id: string) => `${id} `],
      ['no dashes', (id: string) => id.replaceAll('-', '')],
      ['SQL', (id: string) => `${id}' or '1'='1`],
      ['a wildcard', () => '%'],
      ['a path', (id: string) => `../channels/${id}`],
      ['5,000 characters', () => 'a'.repeat(5_000)],
    ])('with %s is 404 too', async (_case, spoil) => {
      const id = spoil(ids['active channel'] ?? '');
      const absent = await ask(route, crypto.randomUUID());
      const inPath = route.path.includes('{');
      const answer = await ask(route, inPath ? encodeURIComponent(id) : id);
      expect(withoutWhere(answer)).toEqual(withoutWhere(absent));
    });
  },
);

describe.each(withinChannel.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s, of a channel of one’s own',
  (_name, route) => {
    test.each(kinds)("with the id of another account's %s is 404, as with an absent id", async (kind) => {
      const absent = await ask(route, crypto.randomUUID(), ownChannel.id);
      const foreign = await ask(route, ids[kind] ?? '', ownChannel.id);
      expect([absent.status, absent.body]).toEqual([404, notFound(nameOf(route, true))]);
      expect(comparable(foreign)).toEqual(comparable(absent));
    });
  },
);

describe.each(byQuery.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s, asked by query',
  (_name, { method, path, parameters }) => {
    test.each(kinds)("with the id of another account's %s is 404, as with an absent id", async (kind) => {
      for (const { name } of (parameters ?? []).filter(isIdOfOurs)) {
        const asked = (id: string) =>
          world.service.call(method.toUpperCase(), `${path}?${name}=${id}`, { key: mine.key });
        const [absent, foreign] = [await asked(crypto.randomUUID()), await asked(ids[kind] ?? '')];
        expect([name, absent.status]).toEqual([name, 404]);
        expect(comparable(foreign)).toEqual(comparable(absent));
      }
    });
  },
);

test('the route table has operations within a channel and operations with an id in the query', () => {
  expect(withinChannel.length).toBeGreaterThanOrEqual(5);
  expect(byQuery.length).toBeGreaterThanOrEqual(1);
});

test('lists contain nothing of another account', async () => {
  const own = { redirects: [expect.objectContaining({ uri_pattern: 'https://app.example.com/*' })] };
  const nothing = [{ channels: [expect.objectContaining({ id: ownChannel.id })], total: 1 }, own];
  expect(await everythingOf(mine)).toEqual([...nothing, expect.anything()]);
  const fromTheStart = Buffer.from(`0.${ids['active channel']}`).toString('base64url');
  const answers = await Promise.all(
    ['channels', 'redirects', 'subscriptions'].map((path) =>
      world.service.call('GET', `/api/v1/${path}?cursor=${fromTheStart}&limit=100`, { key: mine.key }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const text = answers.map((answer) => answer.text).join('\n');
  expect(Object.values(ids).filter((id) => text.includes(id))).toEqual([]);
});

test('nothing of the other account has changed', async () => {
  expect(await everythingOf(theirs)).toEqual(before);
  const { sends } = await world.simulator.control('sends?outcome=all');
  expect(sends.length).toBe(1);
});
