/** [operator-interface §3] `GET /api/v1/messages`: sent and received messages of all channels, without their content. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const secretText = 'a text that is in no list';
const ask = (query = '', key = account.key): Promise<Answer> =>
  world.service.call('GET', `/api/v1/messages${query}`, { key });

interface Listed {
  message_id: string;
  channel_id: string;
  direction: string;
  status: string;
  created_at: string;
}

async function list(query: string): Promise<Listed[]> {
  const { status, body, text } = await ask(query);
  if (status !== 200) throw new Error(text);
  return body.messages;
}

const idsOf = (messages: readonly Listed[]): string[] => messages.map(({ message_id }) => message_id);

/** A person who got a message, answered it, and got another. */
async function conversation(type: 'chatapp' | 'pagechat') {
  const person = newPerson(type);
  const channel = channels[type];
  const first = (await world.send(channel, secretText, person)).body.message_id;
  await world.inbox.event('message.delivered', first);
  await world.write(channel, { text: secretText }, person);
  const [came] = await world.inbox.next(1, ({ event }) => event.data['from'] === person);
  const second = (await world.send(channel, secretText, person)).body.message_id;
  await world.inbox.event('message.delivered', second);
  return { person, channel, first, second, received: String(came?.event.data['message_id']) };
}

describe('the list of messages', () => {
  test('has both directions of a person, newest first, without content', async () => {
    const { person, channel, first, second, received } = await conversation('chatapp');
    const { body, text } = await ask(`?recipient=${person}`);
    const common = {
      channel_id: channel.id,
      channel_type: 'chatapp',
      person,
      type: 'text',
      created_at: isoTime,
    };
    expect(body).toEqual({
      messages: [
        { ...common, message_id: second, direction: 'outbound', status: 'delivered' },
        { ...common, message_id: received, direction: 'inbound', status: 'received' },
        { ...common, message_id: first, direction: 'outbound', status: 'delivered' },
      ],
      next_cursor: null,
    });
    expect(text).not.toContain(secretText);
  });

  test('covers all channels; a cursor continues where the page ended, and no message comes twice', async () => {
    await conversation('chatapp');
    await conversation('pagechat');
    const every = await list('?limit=1000');
    const times = every.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(every.map(({ channel_id }) => channel_id)).size).toBeGreaterThan(1);
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await ask(`?limit=2${cursor}`);
      paged.push(...idsOf(body.messages));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(idsOf(every));
  });

  test('a phone number is found in any notation', async () => {
    const { person, second } = await conversation('chatapp');
    const written = `+${person.slice(0, 2)} (${person.slice(2, 5)}) ${person.slice(5)}`;
    expect(idsOf(await list(`?recipient=${encodeURIComponent(written)}`))).toContain(second);
  });

  test('filters by channel, direction, status, and a time from and until', async () => {
    const { person, channel, first, second, received } = await conversation('pagechat');
    const of = (query: string): Promise<string[]> => list(`?recipient=${person}${query}`).then(idsOf);
    expect(await of(`&channel_id=${channel.id}`)).toEqual([second, received, first]);
    expect(await of(`&channel_id=${channels.chatapp.id}`)).toEqual([]);
    expect(await of('&direction=inbound')).toEqual([received]);
    expect(await of('&direction=outbound')).toEqual([second, first]);
    expect(await of('&direction=echo')).toEqual([]);
    expect(await of('&status=received')).toEqual([received]);
    expect(await of('&status=delivered')).toEqual([second, first]);
    expect(await of('&status=failed')).toEqual([]);
    const [, middle] = await list(`?recipient=${person}`);
    expect(await of(`&since=${middle?.created_at}`)).toEqual([second, received]);
    expect(await of(`&until=${middle?.created_at}`)).toEqual([first]);
    expect(idsOf(await list(`?channel_id=${channel.id}&limit=3`))).toEqual([second, received, first]);
  });

  test('lists an echo, with its status if echo_statuses is on', async () => {
    const own = await newAccount(world.service);
    const [page] = (await newBusiness(world.simulator)).pages;
    const channel = await world.connect(own, 'pagechat', { upstream: page?.id ?? '' });
    const person = newPerson('pagechat');
    const path = `/api/v1/channels/${channel.id}`;
    await world.service.call('PATCH', path, { key: own.key, body: { echo_statuses: true } });
    const asked = { channel: channel.upstream, to: person, wait: true, text: secretText };
    await world.simulator.control('business/write', asked);
    await world.inbox.next(1, ({ event }) => event.data['recipient'] === person);
    await world.read(channel, person);
    const found = await until('the echo to be read', async () => {
      const { body } = await ask(`?recipient=${person}&direction=echo`, own.key);
      return body.messages[0]?.status === 'read' ? body.messages : null;
    });
    expect(found).toMatchObject([{ direction: 'echo', person, type: 'text', channel_id: channel.id }]);
  });

  test('an invalid filter is named in the error', async () => {
    const wrong = async (query: string) => {
      const { status, body } = await ask(query);
      return [status, body.detail[0].loc, body.detail[0].type];
    };
    expect(await wrong('?direction=up')).toEqual([422, ['query', 'direction'], 'enum']);
    expect(await wrong('?status=lost')).toEqual([422, ['query', 'status'], 'enum']);
    expect(await wrong('?since=yesterday')).toEqual([422, ['query', 'since'], 'value_error']);
    expect(await wrong('?until=2026-13-01T00:00:00Z')).toEqual([422, ['query', 'until'], 'value_error']);
    expect(await wrong('?limit=0')).toEqual([422, ['query', 'limit'], 'value_error']);
    expect(await wrong('?cursor=none')).toEqual([422, ['query', 'cursor'], 'value_error']);
    const long = `?recipient=${'4'.repeat(136)}`;
    expect(await wrong(long)).toEqual([422, ['query', 'recipient'], 'string_too_long']);
  });

  const hint =
    'Send a phone number with its country code, or the id of a person as it came in data.from; names and user names find nobody.';
  test.each([
    ['mia.v', 'no_digits'],
    ['@mia2', 'not_numeric'],
    ['de.20260000000000000042', 'not_numeric'],
    ['wamid.HBgN1', 'not_numeric'],
    ['', 'empty'],
    [' ', 'empty'],
  ])('a recipient %j that names no person is 400, not an empty list: %s', async (recipient, reason) => {
    const { status, body } = await ask(`?recipient=${encodeURIComponent(recipient)}`);
    const message = `recipient is not valid: ${reason}`;
    expect([status, body]).toEqual([400, { detail: { code: 'invalid_recipient', message, reason, hint } }]);
  });

  test.each(['4915900009999', '+49 (0)159 0000-9999', '004915900009999', 'US.ENT.aB3', '7'])(
    'a recipient %j without a message has an empty list',
    async (recipient) => {
      const { status, body } = await ask(`?recipient=${encodeURIComponent(recipient)}`);
      expect([status, body]).toEqual([200, { messages: [], next_cursor: null }]);
    },
  );

  test("another account's messages and channel do not exist for it", async () => {
    const { person, channel } = await conversation('pagechat');
    const other = await newAccount(world.service);
    expect((await ask(`?recipient=${person}`, other.key)).body).toEqual({ messages: [], next_cursor: null });
    const { status, text } = await ask(`?channel_id=${channel.id}`, other.key);
    const absent = await ask(`?channel_id=${crypto.randomUUID()}`, other.key);
    expect([status, text]).toEqual([404, absent.text]);
    expect(absent.status).toBe(404);
  });
});
