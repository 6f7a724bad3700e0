/** Messages with files turn by turn: their slots, their order, and those that only the store holds. [architecture §6.3; faults: I11] */
import { describe, expect, test } from '@jest/globals';
import { firstDeliveries } from '../../actors/channel/inbound/files.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { FileOutcome } from '../../src/rules/outside.ts';
import type { InboundPage, PendingInbound } from '../../src/storage/journal/channel-journal.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { newYear } from '../rules/samples.ts';
import { asText, fileFetched, fileOf, inboundOf } from './support/files.ts';
import { Turns, gone } from './support/turns.ts';

function pendingOf(name: string, dueAt: number, from = name): PendingInbound {
  const fact = inboundOf(name, [fileOf(name)], from);
  return { id: `channel-1/i/${name}`, fact, expiresAt: newYear + 1e9, dueAt, tries: 0 };
}

const page = (pending: PendingInbound[], upTo: number, storeHasMore = false): ChannelMessage => ({
  type: 'inbound-loaded',
  pending,
  echoes: [],
  upTo,
  storeHasMore,
});

const ended = (name: string, outcome: FileOutcome = fileFetched(name), part = 0): ChannelMessage => ({
  type: 'file-ended',
  inboundId: `channel-1/i/${name}`,
  part,
  outcome,
});
const failed: FileOutcome = { outcome: 'failed', error: 'No file', mayPass: true };
const emitted = (...names: string[]): ChannelMessage => ({
  type: 'inbound-emitted',
  inboundIds: names.map((name) => `channel-1/i/${name}`),
});

/** A channel that remembers this many messages, each of another person. */
function remembering(count: number): Turns {
  const turns = new Turns({ type: 'pagechat' });
  const all = Array.from({ length: count }, (_, n) => pendingOf(`m-${n}`, newYear - 1_000 + n));
  turns.tell(page(all, newYear - 1_000 + count));
  return turns;
}

/** A message comes and is stored; returns the lines of the turn after its commit. */
function bring(turns: Turns, name: string, from = name): string[] {
  turns.tell({ type: 'take-facts', facts: [inboundOf(name, [fileOf(name)], from)] });
  const job = turns.state.facts.nextJob - 1;
  turns.tell({ type: 'facts-resolved', job, known: [], conversations: [], delivered: [] });
  return turns.tell({ type: 'facts-ended', job, outcome: 'committed', again: [] });
}

const names = (turns: Turns): string[] =>
  [...turns.state.inbound.open.keys()].map((id) => id.slice('channel-1/i/'.length));

describe('messages that only the store holds', () => {
  test('are read once half of the room is free, and not before', () => {
    const turns = remembering(limits.inbound / 2 + 1);
    turns.state.inbound.backlog.storeHasMore = true;
    turns.state.inbound.backlog.after = 7;
    expect(turns.tell(emitted()).filter((line) => line.startsWith('load'))).toEqual([]);
    turns.tell(ended('m-0'));
    expect(turns.tell(emitted('m-0')).filter((line) => line.startsWith('load'))).toEqual([
      `load ${limits.inbound / 2} inbound after 7`,
    ]);
  });

  test('are asked for by one read at a time', () => {
    const turns = remembering(1);
    turns.state.inbound.backlog.storeHasMore = true;
    expect([turns.tell(emitted()), turns.tell(emitted())]).toEqual([[expect.stringMatching(/^load/)], []]);
  });

  test('come before new ones, which may use half of the room and otherwise stay in the store', () => {
    const turns = remembering(limits.inbound / 2);
    turns.state.inbound.backlog.storeHasMore = true;
    expect(turns.tell(emitted()).at(-1)).toBe(`load ${limits.inbound / 2} inbound after ${newYear - 750}`);
    bring(turns, 'late');
    expect(names(turns)).not.toContain('late');
    expect(turns.tell(page([], newYear - 5)).at(-1)).toBe(
      `load ${limits.inbound / 2} inbound after ${newYear - 5}`,
    );
  });

  test('are read on after the last page', () => {
    const turns = remembering(1);
    turns.state.inbound.backlog.storeHasMore = true;
    turns.tell(emitted());
    expect(turns.tell(page([pendingOf('old', newYear - 9_000)], newYear - 8_000, true)).at(-1)).toBe(
      `load ${limits.inbound - 2} inbound after ${newYear - 8_000}`,
    );
    expect(names(turns)).toEqual(['old', 'm-0']);
  });

  test('are read on from where memory was full', () => {
    const turns = remembering(limits.inbound - 1);
    turns.tell(page([pendingOf('a', newYear - 20), pendingOf('b', newYear - 10)], newYear));
    expect([names(turns).includes('a'), names(turns).includes('b')]).toEqual([true, false]);
    expect(turns.state.inbound.backlog).toMatchObject({ storeHasMore: true, after: newYear - 20 });
  });

  test('include echoes, which are looked up at once', () => {
    const turns = new Turns({ type: 'photoapp' });
    const fact = { ...asText('x'), kind: 'echo', recipient: 'mia', appId: null, tag: null } as const;
    const { from: _, fromName: __, ...echo } = fact;
    const waiting = { id: 'channel-1/e/x', fact: echo, expiresAt: newYear + 1e9, dueAt: newYear };
    const loaded: InboundPage = { pending: [], echoes: [waiting], upTo: newYear, storeHasMore: false };
    turns.tell({ type: 'inbound-loaded', ...loaded });
    expect(turns.pass(0)).toEqual(['look up 1!']);
    turns.tell({ type: 'inbound-loaded', ...structuredClone(loaded) });
    expect(turns.pass(0)).toEqual([]);
  });
});

describe('a message that waits', () => {
  test('has a unique time, also within one millisecond, and after a message from the future', () => {
    const turns = remembering(0);
    for (const name of ['a', 'b']) bring(turns, name);
    turns.tell(page([pendingOf('ahead', newYear + 50)], newYear + 50));
    bring(turns, 'c');
    const dues = [...turns.state.inbound.open.values()].map(({ pending }) => pending.dueAt - newYear);
    expect(dues.toSorted((a, b) => a - b)).toEqual([0, 1, 50, 51]);
  });

  test('of a deleted channel, or of an owner that drains, is neither fetched nor makes an event', () => {
    for (const end of [gone, { type: 'drain' } as const]) {
      const turns = remembering(5);
      turns.tell(end);
      expect(turns.tell(ended('m-0'))).toEqual([]);
    }
  });

  test('makes its event once its own files are there, whichever message is complete first', () => {
    const turns = remembering(0);
    turns.tell({
      type: 'take-facts',
      facts: [inboundOf('a', [fileOf('1'), fileOf('2')]), inboundOf('b', [fileOf('3')], 'tom')],
    });
    turns.tell({ type: 'facts-resolved', job: 1, known: [], conversations: [], delivered: [] });
    expect(turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] })).toEqual([
      'fetch a.1',
      'fetch a.2',
      'fetch b.1',
    ]);
    expect(turns.tell(ended('a', fileFetched('2'), 1))).toEqual([]);
    expect(turns.state.inbound.fetches.map(({ inboundId, part }) => `${inboundId}.${part}`)).toEqual([
      'channel-1/i/a.0',
      'channel-1/i/b.0',
    ]);
    expect(turns.tell(ended('b', fileFetched('3')))).toEqual(['record message.received drop i/b']);
    expect(turns.tell(ended('a', fileFetched('1')))).toEqual([
      'record message.received message.received drop i/a',
    ]);
  });

  test('ignores a report about a fetch that it has not started', () => {
    const turns = remembering(1);
    turns.tell(ended('m-0', fileFetched('f'), 7));
    turns.tell(ended('unknown'));
    expect(turns.state.inbound.fetches).toHaveLength(1);
  });

  test("whose file failed permanently has the error in its event, with the file's own media id", () => {
    const turns = remembering(1);
    turns.now += 5_000;
    const [commit] = turns.effects(ended('m-0', { outcome: 'failed', error: 'No file', mayPass: false }));
    expect(commit).toMatchObject({
      events: [
        {
          data: {
            media: {
              media_id: idFrom('media', 'channel-1/i/m-0/0'),
              error: 'No file',
            },
          },
        },
      ],
    });
  });
});

describe('retries', () => {
  test('have four slots of their own; the fifth waits until one of them ends', () => {
    const turns = remembering(5);
    for (const n of [0, 1, 2, 3, 4]) turns.tell(ended(`m-${n}`, failed));
    const begun = turns.pass(1_000);
    expect(begun).toEqual(['fetch m-0.1', 'fetch m-1.1', 'fetch m-2.1', 'fetch m-3.1']);
    expect(turns.tell(ended('m-2'))).toEqual(['fetch m-4.1', 'record message.received drop i/m-2']);
  });
});

describe('a message that upstream repeats while it is being stored', () => {
  test.each([
    ['alone', []],
    ['beside another that waits', ['other']],
  ])('and whose event the look-up finds makes it once: %s', (_, others) => {
    const turns = new Turns({ type: 'pagechat' });
    for (const other of others) bring(turns, other);
    const message = inboundOf('a', [fileOf('a')]);
    turns.tell({ type: 'take-facts', facts: [message] });
    turns.tell({ type: 'take-facts', facts: [message] });
    const last = turns.state.facts.nextJob - 1;
    const none = { known: [], conversations: [], delivered: [] };
    turns.tell({ type: 'facts-resolved', job: last - 1, ...none });
    turns.tell({ type: 'facts-ended', job: last - 1, outcome: 'committed', again: [] });
    turns.tell(ended('a'));
    turns.tell(emitted('a'));
    turns.now += 1_000;
    turns.tell({ type: 'alarm' });
    const delivered = firstDeliveries(turns.state, message).map(({ id }) => id);
    expect(turns.tell({ type: 'facts-resolved', job: last, ...none, delivered })).toEqual([]);
    expect(names(turns)).toEqual(others);
  });
});
