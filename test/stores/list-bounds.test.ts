/**
 * [faults: 408] A list examines no item that it does not return: what it asks for is in the index that it follows. Else a condition that few of
 * an account's ten million messages meet reads them all, in one turn of the event loop.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeStores } from '../../src/features/stores.ts';
import type { Entity } from '../../src/storage/entities/entity.ts';
import type { Listed, RecordsOf } from '../../src/storage/records.ts';
import { openFresh } from './embedded/open.ts';
import type { EmbeddedStore } from '../support/stores.ts';
import { useAll } from './use-all.ts';

/** Each list, and the fields that are compared on each item because its index lacks them. */
type Seen = Map<string, Set<string>>;

let store: EmbeddedStore;
const seen: Seen = new Map();

beforeAll(async () => {
  store = await openFresh();
  const stores = makeStores({ ...store.engine, recordsOf: recording(store.engine.recordsOf) });
  await useAll({ stores, channelState: store.channelState });
});
afterAll(() => store.close());

/** Records that tell `seen` of each list and count. */
function recording(recordsOf: RecordsOf): RecordsOf {
  return (entity) => watched(entity, recordsOf(entity));
}

function watched<T extends object, R extends object>(entity: Entity<T>, reads: R): R {
  return new Proxy(reads, {
    get(target, name): unknown {
      const called: unknown = Reflect.get(target, name);
      if (typeof called !== 'function') return called;
      return (...given: unknown[]): unknown => {
        if (name === 'list' || name === 'count') note(entity, Object(given[0]));
        const answer: unknown = Reflect.apply(called, target, given);
        return name === 'only' ? watched(entity, Object(answer)) : answer;
      };
    },
  });
}

function note<T>(entity: Entity<T>, { by, equal = {}, range }: Listed<T>): void {
  const index = entity.indexes[by];
  const only = Object.keys(Object(Object.values(index?.where ?? {})[0]));
  const inIndex = new Set<string>([...(index?.on ?? []), ...only]);
  const asked = [...Object.keys(equal), ...(range === undefined ? [] : [range.on])];
  const name = `${entity.name} ${by}`;
  const others = seen.get(name) ?? new Set();
  for (const field of asked) if (!inIndex.has(field)) others.add(field);
  seen.set(name, others);
}

/** Their lists are short, or the condition always holds: it is there so that a foreign id finds nothing. */
const compared = {
  'api_keys ofAccount': ['revokedAt', 'madeBy'], // a thousand at most
  'audit ofAccountAndActor': ['action'], // ten thousand
  'channels byId': ['isActive', 'connectedAt'], // a walk through all, for a back-fill
  'channels onAsset': ['accountId'],
  'channels onLicence': ['accountId'],
  'deliveries log': ['accountId'],
  'messages byChannel': ['accountId'],
  'request_log ofAccount': ['status', 'route', 'isFailed', 'requestId'], // ten thousand
  'setup_sessions ofAccount': ['finishedAt'], // those of an hour
  'templates ofOwner': ['status'], // those of one business account
  'transcripts ofDelivery': ['accountId', 'channelId'],
};

test('every condition of a list is in its index, unless the list is short', () => {
  const filtered = [...seen].flatMap(([name, fields]) => (fields.size === 0 ? [] : [[name, [...fields]]]));
  expect(Object.fromEntries(filtered)).toEqual(compared);
  expect(seen.size).toBeGreaterThan(50);
});
