/**
 * [faults: I6, 82; operator-interface §4] Every page and form of the portal with an id: a resource of another account behaves like one
 * that does not exist, also within an own channel; and an own one is shown with its headers. Generated from the route table.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pageRoutes } from '../../src/features/pages.ts';
import { wrongHeaders } from '../http/route-checks.ts';
import { newBusiness } from '../support/setup.ts';
import { draft } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { newPerson } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Channel } from '../support/world.ts';
import { hashSecret } from '../../src/kernel/ids.ts';
import { password } from './browsing.ts';
import { invited, newVisitor, Visitor } from './visitor.ts';

type Ids = Record<string, string>;

const world = sharedWorld();
let mine: Visitor;
let theirs: Visitor;
let own: Ids;
let foreign: Ids;
let before: unknown;

beforeAll(async () => {
  const visitors = [await newVisitor(world), await newVisitor(world)] as const;
  [mine, theirs] = visitors;
  own = await everyId(visitors[0]);
  foreign = await everyId(visitors[1]);
  before = await everythingOf(theirs);
});

const shape = { session: /[0-9a-f]{64}/, uuid: /[0-9a-f]{8}-[0-9a-f-]{27}/, key: /mip_live_[\w-]{43}/ };

/** One of everything that an account has, by its name in a path. */
async function everyId(visitor: Visitor & { email: string }): Promise<Ids> {
  await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
  const [key = ''] = shape.key.exec((await visitor.ask('/portal/keys/made')).text) ?? [];
  const { phones } = await newBusiness(world.simulator);
  const channel = await world.connect({ key }, 'chatapp', { upstream: phones[0]?.id ?? '' });
  const path = `/api/v1/channels/${channel.id}/templates`;
  const template = await world.service.call('POST', path, { key, body: draft('greeting') });
  const sent = await world.send(channel, 'hello');
  await invited(world, visitor, 'viewer');
  const linked = async (page: string, after: string): Promise<string> => {
    const { text } = await visitor.ask(page);
    const [, id = ''] = new RegExp(`${after}/(${shape.uuid.source})`).exec(text) ?? [];
    return id;
  };
  return {
    channel_id: channel.id,
    template_id: template.body.id,
    message_id: sent.body.message_id,
    delivery_id: await deliveryOf(channel),
    endpoint_id: await endpointOf(channel),
    key_id: await linked('/portal/keys', '/portal/keys'),
    redirect_id: await linked('/portal/redirects', '/portal/redirects'),
    person_id: await linked('/portal/people', '/portal/people'),
    session_id: await anotherSession(visitor),
    page: crypto.randomUUID(),
  };
}

/** The person, signed in from another browser. */
async function anotherSession({ email }: { email: string }): Promise<string> {
  const other = new Visitor(world);
  await other.ask('/portal/sign-in');
  await other.post('/portal/sign-in', { email, password });
  return hashSecret(other.cookies.get('trunkline_session') ?? '');
}

const isId = (text: string): boolean => shape.uuid.test(text) || shape.session.test(text);

async function deliveryOf(channel: Channel): Promise<string> {
  await world.write(channel, { text: 'hello' }, newPerson('chatapp'));
  const path = `/api/v1/channels/${channel.id}/deliveries?event=message.received`;
  const { id } = await until('the delivery to be listed', async () => {
    const { body } = await world.service.call('GET', path, { key: channel.key });
    return body.deliveries[0] ?? null;
  });
  return id;
}

async function endpointOf({ id, key }: Channel): Promise<string> {
  const path = `/api/v1/channels/${id}/endpoints`;
  const body = { url: 'https://crm.example.com/in', events: [] };
  return (await world.service.call('POST', path, { key, body })).body.id;
}

/** What an attack could have changed: the tables of the portal. */
async function everythingOf(visitor: Visitor): Promise<string[]> {
  const lists = ['channels', 'keys', 'redirects', 'people', 'templates'];
  const listed = await Promise.all(lists.map((path) => visitor.ask(`/portal/${path}`)));
  return listed.map(({ status, text }) => {
    const [table = ''] = /<tbody>.*<\/tbody>/s.exec(text) ?? [];
    return `${status} ${table.replaceAll(/<time[^>]*>[^<]*<\/time>/g, '').replaceAll(/<[^>]+>/g, ' ')}`;
  });
}

const pages = pageRoutes.filter(({ path }) => /^\/portal\/.*\{/.test(path));
/** Pages that show what this browser has just got, and nothing of the channel in the path. */
const shownOnce = '/portal/channels/{channel_id}/secret/made';
const isWithin = ({ path }: { path: string }): boolean => /\{channel_id\}.*\{/.test(path);

/** Every field of any form, so that each form would have an effect. */
const form = {
  webhook_url: 'https://evil.example.com/hook',
  recipient: '4915900000777',
  text: 'hello',
  once: 'a'.repeat(36),
  role: 'viewer',
  name: 'theirs',
  language: 'en_US',
  category: 'UTILITY',
  body: 'Mine now.',
};

async function ask(visitor: Visitor, { method, path }: { method: string; path: string }, ids: Ids) {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const answer = await (method === 'post' ? visitor.post(target, form) : visitor.ask(target));
  const unnamed = (text: string): string => text.replaceAll(new RegExp(shape.uuid, 'g'), 'ID');
  return { ...answer, text: unnamed(answer.text), location: unnamed(answer.location ?? '') };
}

const absent = (): Ids => Object.fromEntries(Object.keys(own).map((name) => [name, crypto.randomUUID()]));

test('every name of an id in a path is covered here', () => {
  const names = pages.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  expect([...new Set(names)].filter((name) => !isId(own[name] ?? ''))).toEqual([]);
  expect(pages.filter(isWithin).length).toBeGreaterThan(5);
});

describe.each(pages.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    test("another account's ids behave like unknown ones", async () => {
      const [theirIds, none] = [await ask(mine, route, foreign), await ask(mine, route, absent())];
      expect(route.path === shownOnce ? [200] : [302, 404]).toContain(none.status);
      expect(theirIds).toEqual(none);
    });

    if (isWithin(route)) {
      test('and so within an own channel', async () => {
        const channel = { channel_id: own['channel_id'] ?? '' };
        const theirIds = await ask(mine, route, { ...foreign, ...channel });
        const none = await ask(mine, route, { ...absent(), ...channel });
        expect(theirIds).toEqual(none);
      });
    }
  },
);

const shown = pageRoutes.filter(({ method, path }) => method === 'get' && path.startsWith('/portal'));

test.each(shown.map((route) => [route.path, route] as const))(
  '%s is shown with its headers',
  async (path) => {
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? '');
    const cookie = [...mine.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${world.service.url}${target}`, { headers: { cookie }, redirect: 'manual' });
    await answer.text();
    expect([answer.status < 500, wrongHeaders(answer)]).toEqual([true, []]);
  },
);

test('nothing of the other account has changed', async () => {
  expect(await everythingOf(theirs)).toEqual(before);
});
