/**
 * What a send, a report, a received message and an event cost MongoDB: commands in order, each with its number of statements. A client
 * waits for one round trip a command. [performance §4]
 */
import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CommandStartedEvent } from 'mongodb';
import type { Write } from '../../src/storage/journal/writes.ts';
import type { Delivery } from '../../src/rules/webhooks/delivery.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { ownerOf } from '../../src/rules/webhooks/endpoints.ts';
import { newId } from '../../src/kernel/ids.ts';
import { connect } from '../../src/storage/mongo/connection.ts';
import type { Connection } from '../../src/storage/mongo/connection.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { storeOn } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';
import { silentLog } from '../support/silent-log.ts';
import { accepted, eventOf } from './conformance/certain.ts';
import { aDelivery, aMessage, noon } from './conformance/samples.ts';

/** As in `update messages 3`: a command with three statements, or an insert of three documents. */
function nameOf({ commandName, command }: CommandStartedEvent): string {
  const statements: unknown = command['updates'] ?? command['documents'] ?? command['deletes'];
  return `${commandName} ${command[commandName]} ${Array.isArray(statements) ? statements.length : ''}`.trim();
}

const told = (messageId: string, status: 'sent' | 'delivered' | 'read', at = noon): Write => ({
  write: 'recordStatus',
  messageId,
  status,
  upstreamId: `up.${messageId}`,
  at,
});

const ended = (deliveryId: string): Write => ({
  write: 'recordAttempt',
  deliveryId,
  attempt: {
    state: 'delivered',
    attempts: 1,
    firstTriedAt: noon,
    nextDueAt: noon,
    lastResult: '200',
    attemptLog: null,
  },
});

describeWithMongo('what a unit of work costs MongoDB', 'any', (source) => {
  let server: MongoServer;
  let connection: Connection;
  let store: MongoStore;
  const channelId = newId();
  let commands: string[] = [];
  /** Ids of the deliveries that were inserted. */
  let inserted: string[] = [];

  beforeAll(async () => {
    server = await MongoServer.start(source);
    connection = await connect(server.freshUri(), 'costs', { monitorCommands: true });
    connection.client.on('commandStarted', (event) => {
      commands.push(nameOf(event));
      if (event.command['insert'] === 'deliveries')
        for (const { _id } of event.command['documents']) inserted.push(_id);
    });
    store = storeOn(connection, new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 5_000 }));
  }, 60_000);
  afterAll(async () => {
    await connection.db.dropDatabase();
    await store.close();
    await server.stop();
  }, 60_000);
  beforeEach(() => {
    [commands, inserted] = [[], []];
  });

  const commit = (...writes: Write[]) => store.channelState.commit(channelId, 1, writes);
  async function sending(): Promise<OutboundMessage> {
    const message = aMessage(channelId);
    await commit({ write: 'insertMessage', message });
    return message;
  }
  /** What is known of the costs once the commit is certain, and once it has ended. */
  async function costsOf(...writes: Write[]): Promise<{ answered: string[]; ended: string[] }> {
    let answered: string[] | null = null;
    await store.channelState.commit(channelId, 1, writes, () => (answered = [...commands]));
    return { answered: answered ?? commands, ended: commands };
  }

  test('a text: two round trips, one for its claim and one for its outcome', async () => {
    const { id } = await sending();
    await commit(accepted(id));
    expect(commands).toEqual(['insert messages 1', 'update messages 1']);
  });

  test('a text with an event: the client waits for two round trips as well', async () => {
    const message = await sending();
    const costs = await costsOf(accepted(message.id), {
      write: 'insertDelivery',
      delivery: eventOf(message),
    });
    expect(costs.answered).toEqual(['insert messages 1', 'insert deliveries 1']);
    expect(costs.ended).toEqual([...costs.answered, 'update messages 1']);
  });

  test('a report: one round trip; with an event one until upstream is answered', async () => {
    const message = await sending();
    commands = [];
    expect(await costsOf(told(message.id, 'sent'))).toEqual({
      answered: ['update messages 1'],
      ended: ['update messages 1'],
    });
    commands = [];
    const event: Write = { write: 'insertDelivery', delivery: eventOf(message) };
    expect(await costsOf(told(message.id, 'read'), event)).toEqual({
      answered: ['insert deliveries 1'],
      ended: ['insert deliveries 1', 'update messages 1'],
    });
  });

  test('a received text that is delivered: one round trip for its event, one for the outcome', async () => {
    const delivery = aDelivery(channelId);
    await commit({ write: 'insertDelivery', delivery });
    await commit(ended(delivery.id));
    expect(commands).toEqual(['insert deliveries 1', 'update deliveries 1']);
  });

  test('[faults: 388] what endpoints get is stored first, also if an event is told twice in one commit', async () => {
    const own = aDelivery(channelId);
    const copy = aDelivery(ownerOf(channelId, newId()));
    const event: Write = { write: 'insertDelivery', delivery: own };
    const results = await commit(event, event, { write: 'insertCopy', delivery: copy });
    expect(results.map(({ applied }) => applied)).toEqual([true, false, true]);
    expect(inserted).toEqual([copy.id, own.id, own.id]);
  });

  test('an event that no endpoint gets does not overtake one that some get', async () => {
    const [first, second, third] = [aDelivery(channelId), aDelivery(channelId), aDelivery(channelId)];
    const copies = [first, third].map(() => aDelivery(ownerOf(channelId, newId())));
    const both = (delivery: Delivery, copy: Delivery | undefined) =>
      commit({ write: 'insertDelivery', delivery }, { write: 'insertCopy', delivery: copy ?? delivery });
    await Promise.all([
      both(first, copies[0]),
      commit({ write: 'insertDelivery', delivery: second }),
      both(third, copies[1]),
    ]);
    expect(inserted).toEqual([...copies, first, second, third].map(({ id }) => id));
  });

  test('a hundred at once are one statement: reports of each kind, outcomes of sends, outcomes of deliveries', async () => {
    const messages = await Promise.all(Array.from({ length: 100 }, sending));
    expect(commands).toEqual(['insert messages 100']);
    commands = [];
    await Promise.all(messages.map(({ id }) => commit(accepted(id))));
    expect(commands).toEqual(['update messages 1']);
    commands = [];
    const three = ['sent', 'delivered', 'read'] as const;
    await Promise.all(
      messages.slice(0, 30).flatMap(({ id }, n) => three.map((status) => commit(told(id, status, noon + n)))),
    );
    expect(commands).toEqual(['update messages 3']);
    const deliveries = messages.map(() => aDelivery(channelId));
    await Promise.all(deliveries.map((delivery) => commit({ write: 'insertDelivery', delivery })));
    commands = [];
    await Promise.all(deliveries.map(({ id }) => commit(ended(id))));
    expect(commands).toEqual(['update deliveries 1']);
  });

  test('writes of successive turns of a busy event loop are one command', async () => {
    const stored: Promise<unknown>[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const next = immediate();
      stored.push(sending());
      await next;
    }
    await Promise.all(stored);
    expect(commands).toEqual(['insert messages 5']);
  });

  test('a statement that does not find each of its documents is followed by one for each', async () => {
    const messages = await Promise.all(Array.from({ length: 3 }, sending));
    commands = [];
    const ids = [...messages.map(({ id }) => id), newId()];
    await Promise.all(ids.map((id) => commit(told(id, 'read'))));
    expect(commands).toEqual(['update messages 1', 'update messages 4']);
  });

  test('hundreds of reports are at most four commands at a time, each with 250 facts at most', async () => {
    const messages = await Promise.all(Array.from({ length: 600 }, sending));
    commands = [];
    await Promise.all(messages.map(({ id }) => commit(told(id, 'read'))));
    expect(commands).toEqual(Array.from({ length: 4 }, () => 'update messages 1'));
  });
});
