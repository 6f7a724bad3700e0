/** What `useAll` leaves out has no checked plan and no checked shard key: every method is called, every kind of write is made. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { openFresh } from './embedded/open.ts';
import { useAll } from './use-all.ts';
import { watched } from './watched.ts';

/** The compiler requires each kind. */
const kinds: Record<Write['write'], true> = {
  insertMessage: true,
  claimCopy: true,
  recordAccepted: true,
  recordDeferred: true,
  recordUnknown: true,
  recordFailed: true,
  recordStatus: true,
  insertEcho: true,
  keepWaiting: true,
  dropWaiting: true,
  insertDelivery: true,
  insertCopy: true,
  claimDelivery: true,
  recordAttempt: true,
  reviveDelivery: true,
  addMail: true,
};

let store: Awaited<ReturnType<typeof openFresh>>;
const called = new Set<string>();
const written = new Set<string>();

function methodsOf([name, part]: [string, object]): string[] {
  const proto: unknown = Object.getPrototypeOf(part);
  const inherited = proto === Object.prototype ? [] : Object.getOwnPropertyNames(proto);
  const keys = [...Object.keys(part), ...inherited].filter((key) => key !== 'constructor');
  return keys
    .filter((key) => typeof Reflect.get(part, key, part) === 'function')
    .map((key) => `${name}.${key}`);
}

beforeAll(async () => {
  store = await openFresh();
  await useAll(
    watched(store, ({ method, writes }) => {
      called.add(method);
      for (const write of writes) written.add(write);
    }),
  );
});
afterAll(() => store.close());

test('every method of every store is called', () => {
  const parts = Object.entries({ ...store.stores, channelState: store.channelState });
  const methods = parts.flatMap(methodsOf);
  expect(methods.length).toBeGreaterThan(100);
  expect(methods.filter((method) => !called.has(method))).toEqual([]);
});

test('every kind of write is made', () => {
  expect([...written].toSorted()).toEqual(Object.keys(kinds).toSorted());
});
