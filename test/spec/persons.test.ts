/** [spec: Additions] One person, however upstream names them: a number, the number that is dialled for it, and a business-scoped id. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allEventsAbout, checkWebhooksAndClose, eventsAbout } from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { assetOf, newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

let world: World;
let account: Account;
let channel: Channel;
beforeAll(async () => {
  world = await World.open();
  account = await newAccount(world.service);
  channel = await world.connect(account, 'chatapp', {
    events: ['message.received', 'message.sent', 'person.updated'],
  });
});
afterAll(() => checkWebhooksAndClose(world));

interface Listed {
  message_id: string;
  person: string;
}

async function list(person: string, key = account.key): Promise<Listed[]> {
  const path = `/api/v1/messages?recipient=${encodeURIComponent(person)}`;
  const { status, body, text } = await world.service.call('GET', path, { key });
  if (status !== 200) throw new Error(text);
  return body.messages;
}

/** Once the names are stored, which takes a second. */
async function listed(person: string, count: number): Promise<string[]> {
  await until(`${count} messages of ${person}`, async () => (await list(person)).length >= count);
  return (await list(person)).map((message) => message.person);
}

/** A person who wrote under the number, and later hides it. */
async function hiding(): Promise<{ from: string; userId: string }> {
  const from = newPerson('chatapp');
  const userId = `DE.h${from}`;
  const about = { channel: channel.upstream, id: from, user_id: userId };
  await world.simulator.control('people', { ...about, username: 'mia.v' });
  await world.write(channel, { text: 'with a number' }, from);
  await allEventsAbout(world, channel, from, 1);
  await world.write(channel, { text: 'without', hide_number: true }, from);
  await allEventsAbout(world, channel, userId, 1);
  return { from, userId };
}

describe('the list of messages finds a person', () => {
  test('by the number and by the id', async () => {
    const { from, userId } = await hiding();
    expect(await listed(from, 2)).toEqual([userId, from]);
    expect(await listed(userId, 2)).toEqual([userId, from]);
  });

  test('by the number that was dialled, the number at upstream and the id', async () => {
    const [dialled, from, userId] = ['5511988887701', '551188887701', 'BR.d7'];
    const about = { channel: channel.upstream, id: from, input: dialled, user_id: userId };
    await world.simulator.control('people', about);
    await world.write(channel, { text: 'Oi' }, from);
    await allEventsAbout(world, channel, from, 1);
    expect((await world.send(channel, 'Oi!', dialled)).body.status).toBe('sent');
    for (const name of [dialled, from, userId]) expect(await listed(name, 2)).toEqual([dialled, from]);
  });

  test('of this account alone', async () => {
    const { userId } = await hiding();
    await listed(userId, 2);
    const other = await newAccount(world.service);
    expect(await list(userId, other.key)).toEqual([]);
  });

  test('page by page, each message once', async () => {
    const { from } = await hiding();
    await listed(from, 2);
    const first = await world.service.call('GET', `/api/v1/messages?recipient=${from}&limit=1`, account);
    const path = `/api/v1/messages?recipient=${from}&limit=1&cursor=${first.body.next_cursor}`;
    const second = await world.service.call('GET', path, account);
    const people = [first, second].flatMap(({ body }) => body.messages.map(({ person }: Listed) => person));
    expect(people).toEqual([`DE.h${from}`, from]);
  });
});

describe('person.updated', () => {
  const ofPerson = (from: string) =>
    eventsAbout(world, channel, from).filter(({ event }) => event === 'person.updated');

  async function change(of: Channel, from: string, ask: Record<string, unknown>): Promise<void> {
    await world.write(of, { type: 'system', wait: true, ...ask }, from);
  }

  test('a new number: both numbers and both ids, and the list finds the person by each', async () => {
    const [from, next] = [newPerson('chatapp'), newPerson('chatapp')];
    const [before, after] = [`DE.b${from}`, `DE.a${from}`];
    await world.simulator.control('people', { channel: channel.upstream, id: from, user_id: before });
    await world.write(channel, { text: 'Hi' }, from);
    await allEventsAbout(world, channel, from, 1);
    await change(channel, from, { wa_id: next, previous_user_id: before, user_id: after });
    await until('the event', () => ofPerson(next).length > 0);
    expect(ofPerson(next).map(({ data }) => data)).toEqual([
      {
        message_id: expect.any(String),
        from: next,
        from_user_id: after,
        previous_from: from,
        previous_user_id: before,
      },
    ]);
    for (const name of [from, next, before, after]) expect(await listed(name, 1)).toEqual([from]);
  });

  test('a new id, for a person without a visible number', async () => {
    const from = newPerson('chatapp');
    const [before, after] = [`DE.c${from}`, `DE.d${from}`];
    const ids = { previous_user_id: before, user_id: after };
    await change(channel, from, { system: 'user_changed_user_id', hide_number: true, ...ids });
    await until('the event', () => ofPerson(after).length > 0);
    expect(ofPerson(after)[0]?.data).toEqual({
      message_id: expect.any(String),
      from: after,
      from_user_id: after,
      previous_user_id: before,
    });
  });

  test('is not told to a channel that has not asked for it', async () => {
    const upstream = assetOf(await newBusiness(world.simulator), 'chatapp');
    const quiet = await world.connect(await newAccount(world.service), 'chatapp', {
      upstream,
      events: ['message.received'],
    });
    const [from, next] = [newPerson('chatapp'), newPerson('chatapp')];
    await change(quiet, from, { wa_id: next });
    await world.write(quiet, { text: 'after' }, next);
    expect((await allEventsAbout(world, quiet, next, 1)).map(({ event }) => event)).toEqual([
      'message.received',
    ]);
  });
});
