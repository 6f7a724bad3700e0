/** Messages with files turn by turn: which waits for which, what is counted of a fetch, and what an owner leaves. [architecture §6.3] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelEffect, ChannelMessage } from '../../actors/channel/messages.ts';
import { noInbound } from '../../actors/channel/performing/contents.ts';
import type { FileOutcome } from '../../src/rules/outside.ts';
import type { PendingInbound } from '../../src/storage/journal/channel-journal.ts';
import type { ChannelFact, Part } from '../../src/rules/messages/facts.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { inboundMessageId } from '../../src/rules/events/received.ts';
import { newYear } from '../rules/samples.ts';
import { committed, resolved } from './support/facts.ts';
import { asText, fileFetched, fileOf, inboundOf } from './support/files.ts';
import { Turns, reloaded, settingsOf } from './support/turns.ts';

const files = (count: number): Part[] => Array.from({ length: count }, (_, n) => fileOf(`f-${n}`));
const failed: FileOutcome = { outcome: 'failed', error: 'No file', mayPass: true };
const idOf = (name: string): string => `channel-1/i/${name}`;

function pendingOf(name: string, fields: Partial<PendingInbound> = {}, parts = files(1)): PendingInbound {
  const fact = inboundOf(name, parts);
  return { id: idOf(name), fact, expiresAt: newYear + 1e9, dueAt: newYear - 10, tries: 0, ...fields };
}

const page = (pending: PendingInbound[], upTo = newYear): ChannelMessage => ({
  type: 'inbound-loaded',
  pending,
  echoes: [],
  upTo,
  storeHasMore: false,
});
const ended = (name: string, outcome: FileOutcome = fileFetched(name), part = 0): ChannelMessage => ({
  type: 'file-ended',
  inboundId: idOf(name),
  part,
  outcome,
});
const aside = (name: string): ChannelMessage => ({ type: 'files-quarantined', inboundId: idOf(name) });
const emitted = (name: string): ChannelMessage => ({ type: 'inbound-emitted', inboundIds: [idOf(name)] });
const facts = (...taken: ChannelFact[]): ChannelMessage => ({ type: 'take-facts', facts: taken });
const starter: ChannelMessage = {
  type: 'settings-loaded',
  request: 1,
  settings: settingsOf({ type: 'pagechat', subscription: { tier: 'starter' } }),
  ask: null,
};

const aPage = (): Turns => new Turns({ type: 'pagechat' });

/** A channel with these messages waiting in the store, left by the previous owner. */
function found(...pending: PendingInbound[]): Turns {
  const turns = aPage();
  turns.tell(page(pending));
  return turns;
}

/** A message comes and is stored to wait for its files; returns the effects of its commit. */
function bring(turns: Turns, name: string, parts = files(1), from = 'mia'): ChannelEffect[] {
  turns.tell(facts(inboundOf(name, parts, from)));
  const job = turns.state.facts.nextJob - 1;
  const kept = turns.effects(resolved(job));
  turns.tell(committed(job));
  return kept;
}

const keptBy = (effects: readonly ChannelEffect[]): unknown[] =>
  effects.flatMap((effect) =>
    effect.effect === 'commit'
      ? effect.writes.flatMap((write) => (write.write === 'keepWaiting' ? [write.unmatched] : []))
      : [],
  );
const waiting = (turns: Turns): string[] =>
  [...(turns.state.inboundAtWork?.open.keys() ?? [])].map((id) => id.slice(idOf('').length));

describe('a message with files', () => {
  test('waits, also if it has a text too; without files, or on a licence that withholds them, it does not', () => {
    const [some, none, withheld] = [aPage(), aPage(), aPage()];
    withheld.tell(starter);
    some.tell(facts(inboundOf('a', [{ type: 'text', text: 'x' }, fileOf()])));
    none.tell(facts(asText('a')));
    withheld.tell(facts(inboundOf('a', files(1))));
    expect([some, none, withheld].map(waiting)).toEqual([['a'], [], []]);
  });

  test.each([
    [4, 1],
    [5, 0],
  ])('of %i files is stored, with %i fetches started', (count, tries) => {
    const parts: Part[] = [{ type: 'text', text: 'x' }, ...files(count)];
    expect(keptBy(bring(aPage(), 'a', parts))).toEqual([
      expect.objectContaining({ tries, expiresAt: newYear + limits.pendingInboundMs, dueAt: newYear }),
    ]);
  });

  test('[faults: 453] is not erased while the service is off for two months', () => {
    const [kept] = keptBy(bring(aPage(), 'a', files(1)));
    expect(kept).toMatchObject({ expiresAt: expect.any(Number) });
    expect(Object(kept).expiresAt - newYear).toBeGreaterThan(62 * dayMs);
  });

  test('counts its fetches in the write that stores it, or one that starts later in a write of its own', () => {
    const turns = aPage();
    const countsOf = (effects: readonly ChannelEffect[]): unknown[] =>
      effects.flatMap((effect) => (effect.effect === 'fetch-file' ? [effect.count?.tries ?? null] : []));
    turns.tell(facts(inboundOf('a', files(4))));
    turns.effects(resolved(1));
    expect(countsOf(turns.effects(committed(1)))).toEqual([null, null, null, null]);
    bring(turns, 'b', files(1), 'tom');
    expect(countsOf(turns.effects(ended('a')))).toEqual([1]);
  });

  test('gets a slot when the fetches before it are slow', () => {
    const turns = found(pendingOf('a', {}, files(4)));
    turns.now += 1_000;
    bring(turns, 'b', files(1), 'tom');
    expect([turns.pass(limits.slowFetchMs - 1_001), turns.pass(1)]).toEqual([[], ['fetch b.1']]);
  });

  test('whose file was tried more often waits behind those with fewer attempts', () => {
    const turns = found(...['a', 'b', 'c', 'd', 'e'].map((name) => pendingOf(name, {}, files(1))));
    turns.tell(ended('a', failed));
    turns.pass(1_000);
    turns.tell(ended('a', failed)); // due in 5 s
    turns.pass(4_000);
    for (const name of ['b', 'c', 'd', 'e']) turns.tell(ended(name, failed)); // due in 1 s
    expect(turns.pass(1_000)).toEqual(['fetch b.1', 'fetch c.1', 'fetch d.1', 'fetch e.1']);
  });

  test('has as many open files as have not ended', () => {
    const turns = found(pendingOf('a', {}, files(3)));
    turns.tell(ended('a', fileFetched('x'), 1));
    expect(turns.ask({ type: 'inspect' })).toEqual([expect.stringContaining('"filesOpen":2')]);
  });

  test.each([
    ['ends', settingsOf({ type: 'pagechat', subscription: { status: 'expired' } })],
    ['is taken from the channel', { ...settingsOf({ type: 'pagechat' }), subscription: null }],
  ])('makes its event with them although the licence %s: it was received before', (_, settings) => {
    const turns = found(pendingOf('a'));
    expect(turns.tell({ type: 'settings-loaded', request: 1, settings, ask: null })).toEqual([]);
    const [commit] = turns.effects(ended('a', fileFetched('f')));
    if (commit?.effect !== 'commit') throw new Error('its event goes on record');
    expect(commit.events.map(({ data }) => data)).toMatchObject([
      { type: 'image', media: { media_id: 'f' } },
    ]);
  });

  test("makes its event together with the person's later messages; the latency counts from the first arrival", () => {
    const turns = found(pendingOf('a'), pendingOf('b', { dueAt: newYear - 5 }));
    expect(turns.tell(ended('b'))).toEqual([]);
    expect(turns.effects(ended('a'))).toMatchObject([{ effect: 'commit', arrivedAt: newYear - 10 }]);
  });
});

describe('a text', () => {
  test('of another person waits for no file', () => {
    const turns = found(pendingOf('a'));
    turns.tell(facts(asText('t', 'tom')));
    expect(waiting(turns)).toEqual(['a']);
    expect(turns.tell(resolved(1))).toEqual([
      expect.stringMatching(/^commit 1! message\.received\([^ ]*\)$/),
    ]);
  });

  test('that is repeated after a file in the same batch does not wait, because it came first', () => {
    const turns = aPage();
    turns.tell(facts(asText('t'), inboundOf('a', files(1)), asText('t')));
    expect(waiting(turns)).toEqual(['a']);
  });

  test('whose turn comes before it is stored waits no more', () => {
    const turns = found(pendingOf('a'));
    turns.tell(facts(asText('t')));
    expect(waiting(turns)).toEqual(['a', 't']);
    turns.tell(ended('a'));
    turns.tell(emitted('a'));
    expect(turns.tell(resolved(1))).toEqual([
      expect.stringMatching(/^commit 1! message\.received\([^ ]*\)$/),
    ]);
  });
});

describe('a message whose fetch the previous owner did not end', () => {
  const suspect = (count = 1): Turns => found(pendingOf('a', { tries: 1 }, files(count)));

  test('is no longer suspect once all its fetches have ended and one is to be retried', () => {
    const turns = suspect(2);
    expect(turns.effects(ended('a'))).toEqual([]);
    expect(keptBy(turns.effects(ended('a', failed, 1)))).toEqual([expect.objectContaining({ tries: 0 })]);
  });

  test('stays suspect if nothing was tried', () => {
    expect(keptBy(suspect().effects(ended('a', { outcome: 'busy' })))).toEqual([
      expect.objectContaining({ tries: 1 }),
    ]);
  });

  test('makes its event once it is complete, and nothing else is written', () => {
    expect(suspect().tell(ended('a'))).toEqual(['record message.received drop i/a']);
  });

  test('is not stored again by a fetch that ends after its event', () => {
    const turns = suspect();
    expect(turns.tell(starter)).toEqual(['record message.received drop i/a']);
    expect(turns.effects(ended('a', failed))).toEqual([]);
  });
});

test('a fetch that is to be retried writes nothing for a message that is not suspect', () => {
  expect(found(pendingOf('a')).effects(ended('a', failed))).toEqual([]);
});

describe('a message that crashed its nodes', () => {
  const twice = pendingOf('a', { tries: limits.crashes });

  test('is quarantined once, then makes its event once, with an own media id for each file', () => {
    const turns = aPage();
    expect(turns.tell(page([twice]))).toEqual(['put aside a']);
    expect(turns.effects({ type: 'alarm' })).toEqual([]);
    const [commit] = turns.effects(aside('a'));
    const media = { media_id: idFrom('media', `${idOf('a')}/0`), error: 'The file could not be processed' };
    expect(commit).toMatchObject({ effect: 'commit', events: [{ data: { media } }] });
    expect(turns.effects(aside('a'))).toEqual([]);
  });

  test('makes its event without its files on a licence that withholds them', () => {
    const turns = aPage();
    turns.tell(starter);
    expect(turns.tell(page([twice]))).toEqual(['record message.received drop i/a']);
  });
});

test.each([ended('a'), aside('a'), emitted('a')])(
  'a report about an unknown message has no effect: %j',
  (message) => {
    expect([aPage(), found(pendingOf('b'))].map((turns) => turns.effects(message))).toEqual([[], []]);
  },
);

describe('an answer to a message that nobody has been told of yet', () => {
  const answerTo = (upstreamId: string): ChannelFact => ({ ...asText('answer'), replyTo: { upstreamId } });
  const quoted = (effects: readonly ChannelEffect[]): unknown[] =>
    effects.flatMap((effect) =>
      effect.effect === 'commit'
        ? [
            ...effect.events.flatMap(({ data }) => data['reply_to'] ?? []),
            ...effect.writes.flatMap((write) =>
              write.write === 'keepWaiting' && 'replyTo' in write.unmatched.fact
                ? [write.unmatched.fact.replyTo]
                : [],
            ),
          ]
        : [],
    );
  const answered = (turns: Turns, ...taken: ChannelFact[]): unknown[] => {
    turns.tell(facts(...taken));
    return quoted(turns.effects(resolved(turns.state.facts.nextJob - 1)));
  };
  const messageId = inboundMessageId('channel-1', 'a');

  test('names it as its event will, while it waits for its files', () => {
    const turns = found(pendingOf('a'));
    expect(answered(turns, answerTo('a'))).toEqual([{ upstreamId: 'a', messageId }]);
  });

  test('names it if both come together, or in two jobs', () => {
    expect(answered(aPage(), asText('a'), answerTo('a'))).toEqual([{ message_id: messageId }]);
    const turns = aPage();
    turns.tell(facts({ ...asText('a'), replyTo: { upstreamId: 'unknown' } }));
    expect(answered(turns, answerTo('a'))).toEqual([{ message_id: messageId }]);
  });

  test("names it by upstream's id if nobody asks for its event", () => {
    const turns = new Turns({ type: 'pagechat', channel: { webhookEvents: ['message.sent'] } });
    turns.tell(page([pendingOf('a')]));
    expect(answered(turns, answerTo('a'))).toEqual([{ upstreamId: 'a' }]);
  });
});

describe('an owner that drains', () => {
  test('resets the count of what it has started, and writes nothing for the rest', () => {
    const turns = found(pendingOf('a', {}, files(5)), pendingOf('b', { dueAt: newYear - 5 }));
    const effects = turns.effects({ type: 'drain' });
    expect([effects.length, keptBy(effects)]).toEqual([
      1,
      [expect.objectContaining({ id: idOf('a'), tries: 0 })],
    ]);
  });
});

describe('messages that the previous owner stored late', () => {
  const late = (pending: PendingInbound[], storeHasMore: boolean): ChannelMessage =>
    reloaded({ inbound: { ...noInbound, pending, upTo: newYear - 20, storeHasMore } });

  test('are fetched in their order, and the store is read on after them', () => {
    const turns = new Turns({ type: 'pagechat', epoch: 2 });
    turns.tell(page([pendingOf('b')]));
    turns.tell({ type: 'wake', untaken: true });
    turns.tell(late([pendingOf('a', { dueAt: newYear - 30 })], true));
    expect(waiting(turns)).toEqual(['a', 'b']);
    expect(turns.pass(0)).toEqual(['fetch a.1', `load ${limits.inbound - 2} inbound after ${newYear - 20}`]);
  });

  test.each([
    [[], true, ['load 500 inbound after']],
    [[pendingOf('a')], false, ['fetch a.1']],
    [[], false, []],
  ])('are looked at once: %#', (pending, storeHasMore, lines) => {
    const turns = aPage();
    turns.tell({ type: 'wake', untaken: true });
    turns.tell(late(pending, storeHasMore));
    expect(turns.pass(0)).toEqual(lines.map((line) => expect.stringContaining(line)));
  });
});

test('a message that finds no room while the store is read is read from the store later', () => {
  const turns = found(
    ...Array.from({ length: limits.inbound / 2 }, (_, n) => pendingOf(`m-${n}`, {}, files(1))),
  );
  turns.state.inbound.backlog.storeHasMore = true;
  turns.tell({ type: 'alarm' });
  bring(turns, 'late', files(1), 'tom');
  expect(turns.tell(page([], newYear + 10)).at(-1)).toBe(
    `load ${limits.inbound / 2} inbound after ${newYear - 1}`,
  );
});
