/** [faults: 46; upstream §0.2] A malformed item does not affect the others of its batch. */
import * as fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { isOfAsset } from '../../src/rules/messages/facts.ts';
import type { ChannelFact, UpstreamFact } from '../../src/rules/messages/facts.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import { postOf, samples } from './inbound-samples.ts';
import type { Sample } from './inbound-samples.ts';
import { parse } from './support.ts';

type Json = Record<string, unknown>;

const wrongTypes = [null, true, 7, -1.5, 'text', '', [], [[]], {}, { a: { b: 1 } }, '\u0000', '__proto__'];

/** Every path to a member of the item, at any depth. */
function pathsOf(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [[...at, key], ...pathsOf(member, [...at, key])]);
}

/** A copy of the item with the member at the path changed, or removed if `change` returns undefined. */
function changed(
  item: unknown,
  [key = '', ...rest]: readonly string[],
  change: (was: unknown) => unknown,
): Json {
  const copy: Json = Array.isArray(item) ? Object(item.slice()) : { ...Object(item) };
  const now = rest.length === 0 ? change(copy[key]) : changed(copy[key], rest, change);
  if (now === undefined) delete copy[key];
  else copy[key] = now;
  return copy;
}

const withEvent = samples.filter(({ event }) => event !== null);

describe('a good item', () => {
  const cases = withEvent.map((sample) => [sample.type, sample.name, sample] as const);

  test.each(cases)('%s: %s is read without any one of its optional members', (type, _, sample) => {
    const [whole] = factsIn(type, [sample]);
    for (const path of pathsOf(sample.item)) {
      if (sample.needs.includes(path.join('.'))) continue;
      const found = factsIn(type, [{ ...sample, item: changed(sample.item, path, () => undefined) }]);
      expect([path, found.map(idOf)]).toEqual([path, [idOf(whole)]]);
    }
  });

  test.each(cases)('%s: %s is read although an optional member has a wrong type', (type, _, sample) => {
    const [whole] = factsIn(type, [sample]);
    for (const path of pathsOf(sample.item)) {
      if (sample.needs.includes(path.join('.'))) continue;
      for (const wrong of wrongTypes) {
        const found = factsIn(type, [{ ...sample, item: changed(sample.item, path, () => wrong) }]);
        expect([path, wrong, found.map(idOf)]).toEqual([path, wrong, [idOf(whole)]]);
      }
    }
  });

  test.each(cases)('%s: %s is read although every member occurs twice', (type, _, sample) => {
    const body = JSON.stringify(postOf(type, [sample]));
    const twice = body.replaceAll(/"(\w+)":("[^"\\]*"|\d+)/g, '"$1":$2,"$1":$2');
    expect(twice.length).toBeGreaterThan(body.length);
    expect(parse(JSON.parse(twice)).facts).toEqual(parse(postOf(type, [sample])).facts);
  });
});

describe.each(channelTypes)('a batch of %s', (type) => {
  const own = withEvent.filter((sample) => sample.type === type);
  const anyOf = (of: readonly Sample[]): fc.Arbitrary<Sample> => fc.constantFrom(...of);

  const mutated = anyOf(samples.filter((sample) => sample.type === type)).chain((sample) =>
    fc
      .record({
        path: fc.constantFrom(...pathsOf(sample.item)),
        to: fc.oneof(fc.constant(undefined), fc.constantFrom(...wrongTypes), fc.jsonValue()),
      })
      .map(({ path, to }) => ({ list: sample.list, item: changed(sample.item, path, () => to) })),
  );
  const broken = fc.oneof(
    mutated,
    fc.jsonValue().map((item) => ({ list: own[0]?.list ?? 'messages', item: Object(item) })),
  );

  test('every good item of a batch with mutated ones is read, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyOf(own), broken), { maxLength: 12 }), (items) => {
        const good = items.filter((item) => own.some((sample) => sample === item));
        const wanted = good.flatMap((sample) => factsIn(type, [sample]));
        expect(subsequence(wanted, factsIn(type, items))).toBe(true);
      }),
    );
  });

  test('the facts are the same in many POSTs and in one', () => {
    fc.assert(
      fc.property(fc.array(anyOf(own), { maxLength: 12 }), fc.array(fc.nat(12)), (items, cuts) => {
        const at = [...new Set(cuts)].toSorted((a, b) => a - b);
        const parts = [0, ...at].map((from, n) => items.slice(from, at[n] ?? items.length));
        const apart = parts.flatMap((part) => factsIn(type, part));
        expect(apart).toEqual(factsIn(type, items));
      }),
    );
  });

  test('the facts are the same in one value or entry and in many', () => {
    fc.assert(
      fc.property(fc.array(anyOf(own), { minLength: 1, maxLength: 8 }), (items) => {
        const lists = new Set(items.map(({ list }) => list));
        fc.pre(lists.size === 1);
        expect(parse(mergedPost(type, items)).facts).toEqual(factsIn(type, items));
      }),
    );
  });

  test('a mutated entry does not affect the other entries', () => {
    const envelope = postOf(type, [own[0] ?? samples[0]!].slice(0, 1));
    const [entry] = listIn(envelope, 'entry');
    const good = listIn(postOf(type, [own[1] ?? samples[0]!]), 'entry')[0];
    const wanted = factsIn(type, [own[1] ?? samples[0]!]);
    const paths = pathsOf(entry).filter((path) => path.length <= 5);
    for (const path of paths)
      for (const wrong of [undefined, ...wrongTypes]) {
        const bad = changed(entry, path, () => wrong);
        const { facts } = parse({ ...Object(envelope), entry: [bad, good] });
        expect([path, wrong, subsequence(wanted, facts)]).toEqual([path, wrong, true]);
      }
  });
});

function factsIn(type: Sample['type'], items: readonly Pick<Sample, 'list' | 'item'>[]): UpstreamFact[] {
  return parse(postOf(type, items)).facts;
}

function listIn(post: unknown, name: string): unknown[] {
  return Object(post)[name];
}

/** All items in one `value` of one change, or one `messaging` of one entry. */
function mergedPost(type: Sample['type'], items: readonly Sample[]): unknown {
  const post = Object(postOf(type, items.slice(0, 1)));
  const all = items.map(({ item }) => item);
  const [entry] = post.entry;
  if (type !== 'chatapp') return { ...post, entry: [{ ...entry, messaging: all }] };
  const [change] = entry.changes;
  const value = { ...change.value, [items[0]?.list ?? '']: all };
  return { ...post, entry: [{ ...entry, changes: [{ ...change, value }] }] };
}

function idOf(fact: UpstreamFact | undefined): unknown {
  return fact === undefined || isOfAsset(fact)
    ? undefined
    : Reflect.get(fact satisfies ChannelFact, 'upstreamId');
}

/** Whether all of `wanted` are among `found`, in this order. */
function subsequence(wanted: readonly unknown[], found: readonly unknown[]): boolean {
  const left = wanted.map((each) => JSON.stringify(each));
  for (const each of found) if (JSON.stringify(each) === left[0]) left.shift();
  return left.length === 0;
}
