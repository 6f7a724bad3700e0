/** [faults: 163, 201] Owners who leave one account at once, in every order of their steps that a few hundred seeds draw. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operationsOn } from '../../../src/storage/sqlite/operations/index.ts';
import { readerOn } from '../../../src/storage/sqlite/reader.ts';
import { recordsOn } from '../../../src/storage/sqlite/records.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database } from '../../../src/storage/sqlite/sqlite.ts';
import { WriterThread } from '../../../src/storage/sqlite/writer-thread.ts';
import type { RecordsOf } from '../../../src/storage/records.ts';
import { AccountPeople } from '../../../src/features/accounts/account-people.ts';
import { personStore } from '../../../src/features/accounts/people-store.ts';
import type { Person } from '../../../src/rules/person.ts';
import { silentLog } from '../../support/silent-log.ts';
import { Random } from '../../actors/support/random.ts';
import { anAccount, aPerson, noon } from '../conformance/samples.ts';
import { accounts } from '../../../src/features/accounts/entity.ts';
import { people as peopleEntity } from '../../../src/features/accounts/people-entity.ts';
import { storeWriter } from '../../../src/app/take-directory.ts';
import { tables } from '../../support/stores.ts';

const runs = 400;

/** Lets one of several concurrent tasks do one operation at a time, in an order drawn from the seed. */
class Turns {
  readonly #random: Random;
  readonly #waiting: (() => void)[] = [];
  #running: number;

  constructor(seed: number, tasks: number) {
    this.#random = new Random(seed);
    this.#running = tasks;
  }

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#give();
    });
  }

  end(): void {
    this.#running -= 1;
    this.#give();
  }

  #give(): void {
    if (this.#waiting.length < this.#running) return;
    const [resolve] = this.#waiting.splice(this.#random.between(0, this.#waiting.length - 1), 1);
    resolve?.();
  }
}

/** The records, with each operation in a turn of its own. */
function inTurns(recordsOf: RecordsOf, turns: Turns): RecordsOf {
  return (name) =>
    new Proxy(recordsOf(name), {
      get: (records, key) => {
        const operation: unknown = Reflect.get(records, key);
        if (typeof operation !== 'function') return operation;
        return async (...given: unknown[]): Promise<unknown> => {
          await turns.next();
          const answer: unknown = await Reflect.apply(operation, records, given);
          return answer;
        };
      },
    });
}

/** The records of a process that ends once it has removed a person. */
function dyingAfterRemoval(recordsOf: RecordsOf): RecordsOf {
  return (name) => {
    const records = recordsOf(name);
    let isDead = false;
    const alive = async <T>(act: () => Promise<T>): Promise<T> => {
      if (isDead) throw new Error('This process has ended');
      return act();
    };
    return new Proxy(records, {
      get: (_, key) => {
        const operation: unknown = Reflect.get(records, key);
        if (typeof operation !== 'function') return operation;
        return (...given: unknown[]) =>
          alive(async () => {
            const answer: unknown = await Reflect.apply(operation, records, given);
            isDead = key === 'remove';
            return answer;
          });
      },
    });
  };
}

describe('owners who leave one account at once', () => {
  let db: Database;
  let recordsOf: RecordsOf;
  beforeAll(async () => {
    db = await openWriter(':memory:');
    migrate(db, tables);
    const operations = new Map<string, unknown>(Object.entries(operationsOn(db, tables)));
    const writer = new WriterThread({ path: ':memory:' }, silentLog, { writer: storeWriter }); // not started: its calls run here
    writer.call = async (name, ...args) => Reflect.apply(Object(operations.get(name)), undefined, args);
    recordsOf = recordsOn(readerOn(db), writer);
  });
  afterAll(() => db.close());

  async function threeOwners(): Promise<Person[]> {
    const account = anAccount();
    const owners = [
      aPerson({ id: account.id, email: account.email }),
      aPerson({ accountId: account.id, createdAt: noon + 1 }),
      aPerson({ accountId: account.id, createdAt: noon + 2 }),
    ];
    await recordsOf(accounts).insert(account);
    for (const owner of owners) await recordsOf(peopleEntity).insert(owner);
    return owners;
  }

  type Step = (people: AccountPeople, owner: Person) => Promise<unknown>;
  const remove: Step = (people, owner) => people.remove(owner);
  const demote: Step = (people, owner) => people.setRole(owner, 'viewer');
  const demoteToo: Step = (people, owner) => people.setRole(owner, 'developer');

  test.each<[string, Step[]]>([
    ['removed', [remove, remove, remove]],
    ['demoted', [demote, demote, demote]],
    ['demoted, one of them twice [faults: 495]', [demote, demote, demote, demoteToo]],
    ['demoted, and one removed too [faults: 495]', [demote, demote, demote, remove]],
  ])("who are %s: an owner remains, and has the account's mails", async (_, steps) => {
    const wrong: number[] = [];
    for (let seed = 1; seed <= runs; seed += 1) {
      const owners = await threeOwners();
      const turns = new Turns(seed, steps.length);
      const people = new AccountPeople(inTurns(recordsOf, turns));
      await Promise.all(
        steps.map(async (step, n) => {
          const owner = owners[n % owners.length];
          if (owner !== undefined) await step(people, owner);
          turns.end();
        }),
      );
      const id = owners[0]?.accountId ?? '';
      const stay = (await new AccountPeople(recordsOf).ofAccount(id)).filter(({ role }) => role === 'owner');
      const account = await recordsOf(accounts).one({ id });
      if (!stay.some(({ email }) => email === account?.email)) wrong.push(seed);
    }
    expect(wrong).toEqual([]);
  });

  test('and whose processes end before their second look-up: the account’s mails go to the person who is then made an owner [faults: 209]', async () => {
    const [first, second, third] = await threeOwners();
    if (first === undefined || second === undefined || third === undefined) throw new Error('No owners');
    await new AccountPeople(recordsOf).setRole(third, 'viewer');
    const leaving = [first, second].map((owner) =>
      new AccountPeople(dyingAfterRemoval(recordsOf)).remove(owner),
    );
    const ends = await Promise.allSettled(leaving);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const people = new AccountPeople(recordsOf);
    const roles = async () => (await people.ofAccount(first.accountId)).map(({ role }) => role);
    expect(await roles()).toEqual(['viewer']);
    expect(await people.setRole(third, 'owner')).toEqual({ was: 'viewer' });
    const account = await recordsOf(accounts).one({ id: first.accountId });
    expect([await roles(), account?.email]).toEqual([['owner'], third.email]);
  });

  test('and leave only an invited owner: the account’s mails go to that owner after joining [faults: 209]', async () => {
    const account = anAccount();
    await recordsOf(accounts).insert(account);
    const invited = aPerson({ accountId: account.id, passwordHash: null });
    const people = personStore(recordsOf);
    await people.insert(invited);
    const joined = { email: `joined-${invited.email}`, passwordHash: 'a hash', passwordVersion: 'first' };
    expect(await people.join(invited.id, joined, noon)).toBe(true);
    expect((await recordsOf(accounts).one({ id: account.id }))?.email).toBe(joined.email);
  });
});
