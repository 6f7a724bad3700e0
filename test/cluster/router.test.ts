/** [architecture §4, §5; faults: 6, 152, I3] Which way an ask goes, and what the node that was asked knows of it when no owner has answered. */
import { describe, expect, test } from '@jest/globals';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import { NotOwner } from '../../src/cluster/claims.ts';
import { FencedError, StoreUnavailable, fault } from '../../src/kernel/faults.ts';
import { Asked, channelId, granting, refusing } from './support/asked.ts';
import type { Behaviour, Seen } from './support/asked.ts';

const send: ChannelAsk = {
  type: 'send',
  messageId: 'm-1',
  recipient: '49',
  content: { type: 'text', text: 'hello' },
};
const inspect: ChannelAsk = { type: 'inspect' };

const gaveBack = (why: 'suspended' | 'unavailable' | 'lost'): Behaviour => ({ refusal: { why } });
const movedTo = (owner: string | null): Behaviour => ({ refusal: { why: 'moved', owner } });
const faulty = (code: string, details = {}): Behaviour => ({ refusal: { why: 'fault', code, details } });

const inNoHand = {
  name: 'OwnerLost',
  message: expect.stringContaining('no owner'),
  isInHand: false,
  nodesGone: 0,
};
const inHand = (nodesGone: number) => ({ name: 'OwnerLost', isInHand: true, nodesGone });
const refused = { name: 'Fault', code: 'unavailable' };

describe('a send', () => {
  test.each<[string, Record<string, Behaviour>, object]>([
    ['whose owner is out of reach is in no hand', { two: null }, inNoHand],
    ['whose link closed before it left is in no hand', { two: 'not-sent' }, inNoHand],
    ['that a node without a lease gives back is in no hand', { two: gaveBack('suspended') }, inNoHand],
    ['that a node without a store gives back twice is refused', { two: gaveBack('unavailable') }, refused],
    ['whose owner died is in its hand', { two: 'dies' }, inHand(1)],
    ['whose owner never answered may be in its hand', { two: 'closed' }, inHand(0)],
    ['whose activation ended may be on record', { two: gaveBack('lost') }, inHand(0)],
  ])('%s', async (_words, others, outcome) => {
    expect(await new Asked(others).outcome(send)).toMatchObject(outcome);
  });

  test('whose owner died is answered by the next one', async () => {
    expect(await new Asked({ two: 'dies', three: { reply: 'sent' } }).outcome(send)).toBe('sent');
  });

  test.each<[string, Behaviour]>([
    ['is full', faulty('overloaded')],
    ['has broken', faulty('internal')],
  ])('whose owner died may be done, though the next one %s', async (_words, next) => {
    expect(await new Asked({ two: 'dies', three: next }).outcome(send)).toMatchObject(inHand(1));
  });

  test('whose owner died is refused where the next one refuses what is asked', async () => {
    const next = faulty('text_too_long', { limit: 1, length: 2 });
    expect(await new Asked({ two: 'dies', three: next }).outcome(send)).toMatchObject({
      name: 'Fault',
      code: 'text_too_long',
    });
  });

  test('that two owners died of is given to no third [faults: 152]', async () => {
    const asked = new Asked({ two: 'dies', three: 'dies', four: { reply: 'sent' } });
    expect(await asked.outcome(send)).toMatchObject(inHand(2));
    expect(asked.given).toEqual(['two', 'three']);
  });

  test('whose owners died counts those that are known to be gone a moment after their link closed', async () => {
    const asked = new Asked({ two: 'dies', three: 'dies' }, { goneAfterMs: 90 });
    expect(await asked.outcome(send)).toMatchObject(inHand(2));
  });

  test('looks for an owner for 5 s', async () => {
    const [outcome, ms] = await new Asked({ two: null }).outcomeIn(send);
    expect(outcome).toMatchObject(inNoHand);
    expect(Math.floor(ms / 1_000)).toBe(5);
  });

  test('looks no longer for an owner than any ask', async () => {
    const [outcome, ms] = await new Asked({ two: null }, { askBudgetMs: 155 }).outcomeIn(send);
    expect([outcome, ms]).toEqual([expect.objectContaining(inNoHand), 155]);
  });
});

describe('of a node that leaves', () => {
  test('a send that waits for an owner is in no hand at once', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving(send)).toMatchObject(inNoHand);
  });

  test('another ask that waits is refused at once', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving(inspect)).toMatchObject(refused);
  });

  test('a send that comes later is given to nobody', async () => {
    const asked = new Asked({ two: { reply: 'sent' } });
    expect(await asked.outcomeOfLeaving(send)).toBe('sent');
    expect(await asked.outcome(send)).toMatchObject(inNoHand);
    expect(asked.given).toEqual(['two']);
  });
});

describe('another ask', () => {
  test.each<[string, Record<string, Behaviour>, object]>([
    ['that nobody was given is refused', { two: null }, refused],
    ['whose owner never answered may be done', { two: 'closed' }, inHand(0)],
    [
      'that an owner refuses is refused with its words',
      { two: faulty('not_found', { what: 'It' }) },
      fault('not_found', { what: 'It' }),
    ],
    [
      'that an owner of a newer build refuses is a defect',
      { two: faulty('of_tomorrow') },
      { name: 'Fault', code: 'internal' },
    ],
  ])('%s', async (_words, others, outcome) => {
    expect(await new Asked(others).outcome(inspect)).toMatchObject(outcome);
  });

  test('waits for an owner longer than a frozen one keeps its lease', async () => {
    const [outcome, ms] = await new Asked({ two: gaveBack('suspended') }).outcomeIn(inspect);
    expect(outcome).toMatchObject(refused);
    expect(Math.floor(ms / 1_000)).toBe(15);
  });

  test('comes again after 5, 10, 20, 40, 80 ms, then every 100 ms, until its time is over', async () => {
    const asked = new Asked({ two: movedTo(null) }, { askBudgetMs: 355 });
    expect((await asked.outcomeIn(inspect))[1]).toBe(355);
    expect(asked.givenAt).toEqual([0, 5, 15, 35, 75, 155, 255]);
  });

  test('comes again at once when the members change, and once', async () => {
    const asked = new Asked({ two: movedTo(null) }, { askBudgetMs: 355 });
    const outcome = asked.outcome(inspect);
    await asked.clock.pass(40);
    asked.router.wakeWaiters();
    await outcome;
    expect(asked.givenAt).toEqual([0, 5, 15, 35, 40, 120, 220, 320]);
  });
});

describe('the owner', () => {
  const answers: Behaviour = { reply: 'yes' };

  test.each<[string, Record<string, Behaviour>, Partial<Seen>, string[]]>([
    ['is the one that is remembered', { two: answers, three: answers }, { remembered: 'three' }, ['three']],
    ['that is remembered and gone is looked for', { two: answers }, { remembered: 'gone' }, ['two']],
    [
      'is the one that Redis or the store names',
      { two: answers, three: answers },
      { found: 'three' },
      ['three'],
    ],
    [
      'that joined a moment ago is known after a look at the members',
      { two: answers, three: answers },
      { found: 'three', latecomer: 'three', placed: ['two'] },
      ['three'],
    ],
    [
      'that is gone is replaced where placement says',
      { two: answers },
      { found: 'gone', placed: ['two'] },
      ['two'],
    ],
    [
      'that is gone is replaced, though Redis does not say who is there',
      { two: answers },
      { found: 'gone', latecomer: new Error('away') },
      ['two'],
    ],
    [
      'that nobody names is made where placement says',
      { two: answers, three: answers },
      { found: null, placed: ['three', 'two'] },
      ['three'],
    ],
  ])('%s, at once', async (_words, others, seen, given) => {
    const asked = new Asked(others, seen);
    expect(await asked.outcomeIn(inspect)).toEqual(['yes', 0]);
    expect(asked.given).toEqual(given);
  });

  test.each<[string, Record<string, Behaviour>, Partial<Seen>, string[]]>([
    ['is the one that another names', { two: movedTo('three'), three: answers }, {}, ['two', 'three']],
    [
      'is the one that another names, on a node without a lease',
      { two: movedTo('three'), three: answers },
      { canOwn: false },
      ['two', 'three'],
    ],
    ['without a store is asked once more', { two: gaveBack('unavailable') }, {}, ['two', 'two']],
    [
      'to be, without a store, leaves it to another',
      { two: gaveBack('unavailable'), three: answers },
      { found: null },
      ['two', 'three'],
    ],
    ['that is never there is nobody', { two: answers }, { found: null, placed: [] }, []],
  ])('%s', async (_words, others, seen, given) => {
    const asked = new Asked(others, seen);
    await asked.outcome(inspect);
    expect(asked.given).toEqual(given);
  });

  test.each<[string, Error, string[]]>([
    ['that a defect keeps from being found is told', new TypeError('of ours'), ['router.no-owner-found']],
    ['that the store does not name is not', new StoreUnavailable('away'), []],
  ])('%s in the log', async (_words, found, events) => {
    const asked = new Asked({ two: answers }, { found });
    expect(await asked.outcome(send)).toMatchObject(refused);
    expect(asked.logged.map((line) => JSON.parse(line).msg)).toEqual(events);
    expect(asked.logged.join('')).not.toContain('hello');
  });

  test('is given the ask as it is', async () => {
    const asked = new Asked({ two: answers });
    await asked.outcome(send);
    expect(asked.asks).toEqual([{ channelId, ask: send }]);
  });

  test.each<[string, Partial<Seen>, number]>([
    ['a member', { found: 'two' }, 0],
    ['nobody', { found: null }, 0],
    ['no member', { found: 'gone' }, 1],
  ])('that is %s costs so many looks at the members', async (_words, seen, looks) => {
    const asked = new Asked({ two: answers }, seen);
    await asked.outcome(inspect);
    expect(asked.looksAtMembers).toBe(looks);
  });

  test.each<[string, Behaviour]>([
    ['has answered', answers],
    ['is full', faulty('overloaded')],
  ])('that %s is remembered: nobody is asked who it is', async (_words, behaviour) => {
    const asked = new Asked({ two: answers, three: behaviour }, { found: 'three', remembered: 'three' });
    await asked.outcome(inspect);
    await asked.outcome(inspect);
    expect([asked.given, asked.looks]).toEqual([['three', 'three'], 0]);
  });

  test('that was looked for and has answered is remembered, and forgotten when it moves', async () => {
    const asked = new Asked({ two: answers }, { found: null });
    await asked.outcome(inspect);
    expect(asked.remembered).toBe('two');
    asked.behave('two', movedTo(null));
    await asked.outcome(inspect);
    expect(asked.remembered).toBeUndefined();
  });

  test.each<[string, Behaviour]>([
    ['that is not it any more', movedTo(null)],
    ['that has no lease', gaveBack('suspended')],
    ['whose link closed', 'not-sent'],
  ])('that was remembered %s is looked for anew', async (_words, behaviour) => {
    const asked = new Asked({ two: behaviour, three: answers }, { remembered: 'two', found: 'three' });
    expect(await asked.outcome(inspect)).toBe('yes');
    expect([asked.given, asked.looks]).toEqual([['two', 'three'], 1]);
  });

  test.each([
    ['a send', send],
    ['another ask', inspect],
  ])('that neither Redis nor the store can name: %s is refused at once', async (_words, ask) => {
    const asked = new Asked({ two: answers }, { found: new StoreUnavailable('away') });
    expect(await asked.outcomeIn(ask)).toEqual([expect.objectContaining(refused), 0]);
  });

  test('where no node takes channels: a send is refused at once', async () => {
    const asked = new Asked({ two: answers }, { found: null, placed: [] });
    expect(await asked.outcomeIn(send)).toEqual([expect.objectContaining(refused), 0]);
  });
});

describe('where the other node has no lease, and this one neither', () => {
  const others = { two: gaveBack('suspended') };

  test('an ask is refused at once', async () => {
    const asked = new Asked(others, { canOwn: false });
    expect(await asked.outcomeIn(inspect)).toEqual([expect.objectContaining(refused), 0]);
  });

  test('a send waits for the lease that this node had', async () => {
    const [outcome, ms] = await new Asked(others, { canOwn: false }).outcomeIn(send);
    expect(outcome).toMatchObject(inNoHand);
    expect(Math.floor(ms / 1_000)).toBe(5);
  });

  test('a send is refused at once by a node that never had one', async () => {
    const asked = new Asked(others, { canOwn: false, wasOwner: false });
    expect(await asked.outcomeIn(send)).toEqual([expect.objectContaining(refused), 0]);
  });
});

describe('a channel of this node', () => {
  test('is claimed where placement says so, and then asked without looking for its owner', async () => {
    const asked = new Asked({}, { found: null, placed: ['self'] });
    expect([await asked.outcome(inspect), await asked.outcome(inspect), asked.looks]).toEqual([
      'here',
      'here',
      1,
    ]);
  });

  test('that another has by now is asked there', async () => {
    const ownership = refusing(new NotOwner('two'));
    const asked = new Asked({ two: { reply: 'yes' } }, { found: null, placed: ['self'], ownership });
    expect([await asked.outcome(inspect), asked.given]).toEqual(['yes', ['two']]);
  });

  const gone = (untouched: boolean) => refusing(new ActivationGone('moving', untouched));
  const lapsed = {
    ...granting,
    acquire: async () => ({ epoch: 1, isValid: () => false, isSure: () => false }),
  };

  test.each<[string, Partial<Seen>, object]>([
    ['another has', { ownership: refusing(new NotOwner('two')) }, { why: 'moved', owner: 'two' }],
    [
      'is full',
      { ownership: refusing(fault('overloaded', { retryAfter: 2 })) },
      { why: 'fault', code: 'overloaded', details: { retryAfter: 2 } },
    ],
    ['has moved before the ask was looked at', { ownership: gone(true) }, { why: 'moved', owner: null }],
    ['has moved with the ask in its hands', { ownership: gone(false) }, { why: 'lost' }],
    ['has a higher epoch elsewhere', { ownership: refusing(new FencedError('fenced')) }, { why: 'lost' }],
    [
      'has no epoch since the store is away',
      { ownership: refusing(new StoreUnavailable('away')) },
      { why: 'unavailable' },
    ],
    [
      'has no epoch, on a node without a lease',
      { ownership: refusing(new StoreUnavailable('away')), canOwn: false },
      { why: 'suspended' },
    ],
    ['whose right has ended', { ownership: lapsed }, { why: 'suspended' }],
  ])('that %s is refused as that', async (_words, seen, refusal) => {
    expect(await new Asked({}, seen).router.here(channelId, inspect)).toEqual({ refusal });
  });

  test('that breaks is a defect', async () => {
    const { router } = new Asked({}, { ownership: refusing(new TypeError('a bug')) });
    await expect(router.here(channelId, inspect)).rejects.toThrow('a bug');
  });

  test.each<[string, Error]>([
    ['has moved', new ActivationGone('moving', true)],
    ['has no store', new StoreUnavailable('away')],
  ])("is no longer remembered as another's when it %s", async (_words, error) => {
    const asked = new Asked({}, { remembered: 'two', ownership: refusing(error) });
    await asked.router.here(channelId, inspect);
    expect(asked.remembered).toBeUndefined();
  });

  describe('that moved while this node drains', () => {
    const moved = (draining: boolean, releases: () => Promise<void>) =>
      new Asked({}, { draining, releases, ownership: gone(true) }).router.here(channelId, inspect);

    test.each([
      [true, 1],
      [false, 0],
    ])('(%s) is given back in Redis, where its release may have been lost', async (draining, times) => {
      let released = 0;
      await moved(draining, async () => void (released += 1));
      expect(released).toBe(times);
    });

    test('is not given back as long as something of it is in flight', async () => {
      let released = 0;
      const asked = new Asked(
        {},
        { draining: true, isQuiet: false, releases: async () => void (released += 1) },
      );
      await asked.host.activate(channelId);
      await asked.clock.pass(1);
      void asked.host.drain(1_000);
      await asked.clock.pass(1);
      const outcome = await asked.router.here(channelId, inspect);
      expect([outcome, released]).toEqual([{ refusal: { why: 'moved', owner: null } }, 0]);
    });

    test('is answered, though Redis is away', async () => {
      const outcome = moved(true, () => Promise.reject(new Error('away')));
      expect(await outcome).toEqual({ refusal: { why: 'moved', owner: null } });
    });
  });
});

describe('what is told', () => {
  const wake = { type: 'wake' } as const;
  const changed = { type: 'settings-changed' } as const;

  test('reaches the owner', async () => {
    const asked = new Asked({ two: { reply: 'yes' } });
    await asked.tell(changed);
    expect([asked.sent, asked.heard]).toEqual([[['two', { f: 'tell', channelId, tell: changed }]], []]);
  });

  test('reaches an owner that is here', async () => {
    const asked = new Asked({ two: { reply: 'yes' } });
    await asked.host.activate(channelId);
    await asked.tell(changed);
    expect([asked.sent, asked.heard]).toEqual([[], ['settings-changed']]);
  });

  test('makes this node the owner if it wakes the channel', async () => {
    const asked = new Asked({}, { found: null, placed: ['self'] });
    await asked.tell(wake);
    expect(asked.heard).toEqual(['wake']);
  });

  test('makes nobody the owner if it is worth no activation', async () => {
    const asked = new Asked({}, { found: null, placed: ['self'] });
    await asked.tell(changed);
    expect(asked.host.size).toBe(0);
  });

  test("is not remembered as this node's when another has the channel", async () => {
    const asked = new Asked({}, { remembered: 'self', ownership: refusing(new NotOwner('two')) });
    await asked.tell(wake);
    expect([asked.heard, asked.remembered]).toEqual([[], undefined]);
  });

  test.each<[string, Record<string, Behaviour>, Partial<Seen>]>([
    ['nobody can name the owner', { two: { reply: 'yes' } }, { found: new StoreUnavailable('away') }],
    ['no node takes channels', {}, { found: null, placed: [] }],
    ['the owner is out of reach', { two: null }, {}],
  ])('is left for the next sweep where %s', async (_words, others, seen) => {
    const asked = new Asked(others, seen);
    await asked.tell(wake);
    expect([asked.sent, asked.heard]).toEqual([[], []]);
  });
});
