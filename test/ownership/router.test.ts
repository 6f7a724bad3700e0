/** [architecture §4, §5; faults: 6, 152, I3] How an ask is routed, and what its node knows of the outcome if no owner has answered. */
import { describe, expect, test } from '@jest/globals';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import { NotOwner } from '../../src/ownership/claims.ts';
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
    ['whose owner is unreachable is untouched', { two: null }, inNoHand],
    ['whose link closed before it was sent is untouched', { two: 'not-sent' }, inNoHand],
    ['that a node without a lease returns is untouched', { two: gaveBack('suspended') }, inNoHand],
    ['that a node without a store returns twice is refused', { two: gaveBack('unavailable') }, refused],
    ['whose owner died may have been performed by it', { two: 'dies' }, inHand(1)],
    ['whose owner never answered may have been performed', { two: 'closed' }, inHand(0)],
    ['whose activation ended may be stored', { two: gaveBack('lost') }, inHand(0)],
  ])('%s', async (_words, others, outcome) => {
    expect(await new Asked(others).outcome(send)).toMatchObject(outcome);
  });

  test('whose owner died is answered by the next owner', async () => {
    expect(await new Asked({ two: 'dies', three: { reply: 'sent' } }).outcome(send)).toBe('sent');
  });

  test.each<[string, Behaviour]>([
    ['is full', faulty('overloaded')],
    ['has broken', faulty('internal')],
  ])('whose owner died may have been performed, although the next one %s', async (_words, next) => {
    expect(await new Asked({ two: 'dies', three: next }).outcome(send)).toMatchObject(inHand(1));
  });

  test('whose owner died is refused if the next one refuses the request', async () => {
    const next = faulty('text_too_long', { limit: 1, length: 2 });
    expect(await new Asked({ two: 'dies', three: next }).outcome(send)).toMatchObject({
      name: 'Fault',
      code: 'text_too_long',
    });
  });

  test('during which two owners died is not given to a third [faults: 152]', async () => {
    const asked = new Asked({ two: 'dies', three: 'dies', four: { reply: 'sent' } });
    expect(await asked.outcome(send)).toMatchObject(inHand(2));
    expect(asked.given).toEqual(['two', 'three']);
  });

  test('whose owners died counts those that are known to be dead a moment after their links closed', async () => {
    const asked = new Asked({ two: 'dies', three: 'dies' }, { goneAfterMs: 90 });
    expect(await asked.outcome(send)).toMatchObject(inHand(2));
  });

  test('looks for an owner for 5 s', async () => {
    const [outcome, ms] = await new Asked({ two: null }).outcomeIn(send);
    expect(outcome).toMatchObject(inNoHand);
    expect(Math.floor(ms / 1_000)).toBe(5);
  });

  test('looks for an owner no longer than any other ask', async () => {
    const [outcome, ms] = await new Asked({ two: null }, { askBudgetMs: 155 }).outcomeIn(send);
    expect([outcome, ms]).toEqual([expect.objectContaining(inNoHand), 155]);
  });
});

describe('on a node that leaves', () => {
  test('a send that waits for an owner is at once known to be untouched', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving(send)).toMatchObject(inNoHand);
  });

  test('another ask that waits is refused at once', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving(inspect)).toMatchObject(refused);
  });

  test('a later send is given to no node', async () => {
    const asked = new Asked({ two: { reply: 'sent' } });
    expect(await asked.outcomeOfLeaving(send)).toBe('sent');
    expect(await asked.outcome(send)).toMatchObject(inNoHand);
    expect(asked.given).toEqual(['two']);
  });
});

describe('another ask', () => {
  test.each<[string, Record<string, Behaviour>, object]>([
    ['that no node received is refused', { two: null }, refused],
    ['whose owner never answered may have been performed', { two: 'closed' }, inHand(0)],
    [
      'that an owner refuses is refused with its detail',
      { two: faulty('not_found', { what: 'It' }) },
      fault('not_found', { what: 'It' }),
    ],
    [
      'that an owner of a newer build refuses is an internal error',
      { two: faulty('of_tomorrow') },
      { name: 'Fault', code: 'internal' },
    ],
  ])('%s', async (_words, others, outcome) => {
    expect(await new Asked(others).outcome(inspect)).toMatchObject(outcome);
  });

  test('waits for an owner longer than the lease of a frozen one', async () => {
    const [outcome, ms] = await new Asked({ two: gaveBack('suspended') }).outcomeIn(inspect);
    expect(outcome).toMatchObject(refused);
    expect(Math.floor(ms / 1_000)).toBe(15);
  });

  test('is retried after 5, 10, 20, 40, 80 ms, then every 100 ms, until its time is over', async () => {
    const asked = new Asked({ two: movedTo(null) }, { askBudgetMs: 355 });
    expect((await asked.outcomeIn(inspect))[1]).toBe(355);
    expect(asked.givenAt).toEqual([0, 5, 15, 35, 75, 155, 255]);
  });

  test('is retried at once when the members change, and once only', async () => {
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
    ['is the cached one', { two: answers, three: answers }, { remembered: 'three' }, ['three']],
    ['that is cached and gone is replaced by the chosen node', { two: answers }, { remembered: 'gone' }, ['two']], // oxfmt-ignore
    [
      'that is not cached is the chosen node, and the store is not asked',
      { two: answers, three: answers },
      { found: 'two', placed: ['three', 'two'] },
      ['three'],
    ],
  ])('%s, at once', async (_words, others, seen, given) => {
    const asked = new Asked(others, seen);
    expect(await asked.outcomeIn(inspect)).toEqual(['yes', 0]);
    expect([asked.given, asked.looks]).toEqual([given, 0]);
  });

  test.each<[string, Record<string, Behaviour>, Partial<Seen>, string[]]>([
    ['is the one that another names', { two: movedTo('three'), three: answers }, {}, ['two', 'three']],
    [
      'is the one that another names, on a node without a lease',
      { two: movedTo('three'), three: answers },
      { canOwn: false },
      ['two', 'three'],
    ],
    [
      'without a store is asked a second time',
      { two: gaveBack('unavailable'), three: movedTo('two') },
      {},
      ['two', 'three', 'two'],
    ],
    [
      'that has just joined is known after a look for members',
      { two: movedTo('three'), three: answers },
      { latecomer: 'three' },
      ['two', 'three'],
    ],
    [
      'that is gone is replaced by the chosen node, although Redis does not answer the look',
      { two: movedTo('gone') },
      { latecomer: new Error('away'), askBudgetMs: 10 },
      ['two', 'two'],
    ],
    [
      'that would be a node without a store becomes another one',
      { two: gaveBack('unavailable'), three: answers },
      {},
      ['two', 'three'],
    ],
    ['that no node can become is none', { two: answers }, { placed: [] }, []],
  ])('%s', async (_words, others, seen, given) => {
    const asked = new Asked(others, seen);
    await asked.outcome(inspect);
    expect(asked.given).toEqual(given);
  });

  test('gets the ask unchanged', async () => {
    const asked = new Asked({ two: answers });
    await asked.outcome(send);
    expect(asked.asks).toEqual([{ channelId, ask: send }]);
  });

  test.each<[string, Behaviour, number]>([
    ['a member', movedTo('three'), 0],
    ['nobody', movedTo(null), 0],
    ['no member', movedTo('gone'), 1],
  ])('of which another says that it is %s costs this many looks for members', async (_words, said, looks) => {
    const asked = new Asked({ two: said, three: answers }, { askBudgetMs: 5 });
    await asked.outcome(inspect);
    expect(asked.looksAtMembers).toBe(looks);
  });

  test.each<[string, Behaviour]>([
    ['has answered', answers],
    ['is full', faulty('overloaded')],
  ])('that %s is cached: no further look-up', async (_words, behaviour) => {
    const asked = new Asked({ two: answers, three: behaviour }, { remembered: 'three' });
    await asked.outcome(inspect);
    await asked.outcome(inspect);
    expect(asked.given).toEqual(['three', 'three']);
  });

  test('that was chosen and has answered is cached, and removed when it moves', async () => {
    const asked = new Asked({ two: answers });
    await asked.outcome(inspect);
    expect(asked.remembered).toBe('two');
    asked.behave('two', movedTo(null));
    await asked.outcome(inspect);
    expect(asked.remembered).toBeUndefined();
  });

  test.each<[string, Behaviour]>([
    ['that has released the channel', movedTo(null)],
    ['that has no lease', gaveBack('suspended')],
    ['whose link closed', 'not-sent'],
  ])('in the cache %s is evicted for the chosen node', async (_words, behaviour) => {
    const asked = new Asked({ two: behaviour, three: answers }, { remembered: 'two', placed: ['three'] });
    expect(await asked.outcome(inspect)).toBe('yes');
    expect(asked.given).toEqual(['two', 'three']);
  });

  test.each([
    ['a send', send],
    ['another ask', inspect],
  ])('that this node would be without a store: %s is refused at once', async (_words, ask) => {
    const ownership = refusing(new StoreUnavailable('away'));
    const asked = new Asked({ two: answers }, { placed: ['self'], ownership });
    expect(await asked.outcomeIn(ask)).toEqual([expect.objectContaining(refused), 0]);
  });

  test('if no node takes channels: a send is refused at once', async () => {
    const asked = new Asked({ two: answers }, { placed: [] });
    expect(await asked.outcomeIn(send)).toEqual([expect.objectContaining(refused), 0]);
  });
});

describe('if neither the other node nor this one has a lease', () => {
  const others = { two: gaveBack('suspended') };

  test('an ask is refused at once', async () => {
    const asked = new Asked(others, { canOwn: false });
    expect(await asked.outcomeIn(inspect)).toEqual([expect.objectContaining(refused), 0]);
  });

  test('a send waits for this node to get its lease back', async () => {
    const [outcome, ms] = await new Asked(others, { canOwn: false }).outcomeIn(send);
    expect(outcome).toMatchObject(inNoHand);
    expect(Math.floor(ms / 1_000)).toBe(5);
  });

  test('a send is refused at once by a node that never had a lease', async () => {
    const asked = new Asked(others, { canOwn: false, wasOwner: false });
    expect(await asked.outcomeIn(send)).toEqual([expect.objectContaining(refused), 0]);
  });
});

describe('a channel of this node', () => {
  test('is claimed if placement chooses this node, without a look-up', async () => {
    const asked = new Asked({}, { placed: ['self'] });
    expect([await asked.outcome(inspect), await asked.outcome(inspect), asked.looks]).toEqual([
      'here',
      'here',
      0,
    ]);
  });

  test('that another node has by now is asked there', async () => {
    const ownership = refusing(new NotOwner('two'));
    const asked = new Asked({ two: { reply: 'yes' } }, { placed: ['self'], ownership });
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

  test('that throws is an internal error', async () => {
    const { router } = new Asked({}, { ownership: refusing(new TypeError('a bug')) });
    await expect(router.here(channelId, inspect)).rejects.toThrow('a bug');
  });

  test.each<[string, Error]>([
    ['has moved', new ActivationGone('moving', true)],
    ['has no store', new StoreUnavailable('away')],
  ])('is removed from the cache when it %s', async (_words, error) => {
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
    ])(
      '(%s) is released in the store, because its earlier release may have been lost',
      async (draining, times) => {
        let released = 0;
        await moved(draining, async () => void (released += 1));
        expect(released).toBe(times);
      },
    );

    test('is not released while it has something in flight', async () => {
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

    test('is answered, although the store is down', async () => {
      const outcome = moved(true, () => Promise.reject(new Error('away')));
      expect(await outcome).toEqual({ refusal: { why: 'moved', owner: null } });
    });
  });
});

describe('a channel that this node gave away', () => {
  const given = (placed: string[]): Asked => {
    const asked = new Asked({ two: { reply: 'there' } }, { placed });
    asked.homes.give(channelId, 'two');
    return asked;
  };

  test('is refused here, with its new home', async () => {
    expect(await given(['two']).router.here(channelId, inspect)).toEqual({
      refusal: { why: 'moved', owner: 'two' },
    });
  });

  test('is taken all the same if its home takes no channels, or five seconds later', async () => {
    expect(await given(['self']).router.here(channelId, inspect)).toEqual({ reply: 'here' });
    const later = given(['two']);
    later.clock.advance(5_000);
    expect(await later.router.here(channelId, inspect)).toEqual({ reply: 'here' });
  });

  test('is asked there by this node', async () => {
    const asked = given(['two']);
    expect(await asked.outcome(inspect)).toBe('there');
    expect([asked.given, asked.forwarded]).toEqual([['two'], 0]);
  });
});

describe('a send is counted', () => {
  test('as forwarded if it goes over a link, as here if the channel is live here', async () => {
    const asked = new Asked({ two: { reply: 'there' } });
    await asked.outcome(send);
    expect([asked.forwarded, asked.sentHere]).toEqual([1, 0]);
    const own = new Asked({}, { placed: ['self'] });
    await own.outcome(send);
    await own.outcome(send);
    expect([own.forwarded, own.sentHere]).toEqual([0, 1]);
  });
});

describe('a tell', () => {
  const wake = { type: 'wake' } as const;
  const changed = { type: 'settings-changed' } as const;

  test.each<[string, Partial<Seen>, string, number]>([
    ['that is cached', { remembered: 'three' }, 'three', 0],
    ['that the store names, which may be another than the chosen node', { found: 'three' }, 'three', 1],
    ['that would own it, because it is free', { found: null }, 'two', 1],
    ['that would own it, because its owner is gone', { found: 'gone' }, 'two', 1],
    [
      'that would own it, because the store does not answer',
      { found: new StoreUnavailable('away') },
      'two',
      1,
    ],
  ])('reaches the node %s', async (_words, seen, node, looks) => {
    const asked = new Asked({ two: { reply: 'yes' }, three: { reply: 'yes' } }, seen);
    await asked.tell(changed);
    expect([asked.sent, asked.heard]).toEqual([
      [[node, { f: 'tell', channelId, tell: changed, frees: 'store' }]],
      [],
    ]);
    expect(asked.looks).toBe(looks);
  });

  test('of what is stored for an endpoint reaches the owner that the store names, whatever is cached', async () => {
    const stored = { added: [], follows: null, arrivedAt: null };
    const asked = new Asked(
      { two: { reply: 'yes' }, three: { reply: 'yes' } },
      { remembered: 'two', found: 'three' },
    );
    await asked.tell({ type: 'wake', stored });
    expect([asked.sent.map(([node]) => node), asked.looks, asked.remembered]).toEqual([
      ['three'],
      1,
      'three',
    ]);
  });

  test.each<[object, string | null, [string, string][]]>([
    [wake, 'two', [[channelId, 'two']]],
    [wake, null, []],
    [changed, 'two', []],
  ])(
    '%j of a node of an earlier build (%s) says this of who does not own the channel',
    (message, by, said) => {
      const asked = new Asked({}, { placed: [] });
      asked.router.tellHere(channelId, message === wake ? wake : changed, by);
      expect(asked.wokenBy).toEqual(said);
    },
  );

  test('reaches an owner that is this node', async () => {
    const asked = new Asked({ two: { reply: 'yes' } });
    await asked.host.activate(channelId);
    await asked.tell(changed);
    expect([asked.sent, asked.heard]).toEqual([[], ['settings-changed']]);
  });

  test('makes this node the owner if it is a wake', async () => {
    const asked = new Asked({}, { found: null, placed: ['self'] });
    await asked.tell(wake);
    expect(asked.heard).toEqual(['wake']);
  });

  test('that needs no activation makes no node the owner', async () => {
    const asked = new Asked({}, { found: null, placed: ['self'] });
    await asked.tell(changed);
    expect(asked.host.size).toBe(0);
  });

  test('does not leave this node in the cache if another has the channel', async () => {
    const asked = new Asked({}, { remembered: 'self', ownership: refusing(new NotOwner('two')) });
    await asked.tell(wake);
    expect([asked.heard, asked.remembered]).toEqual([[], undefined]);
  });

  test.each<[string, Record<string, Behaviour>, Partial<Seen>]>([
    ['no node takes channels', {}, { found: null, placed: [] }],
    ['the owner is unreachable', { two: null }, {}],
  ])('is left to the next sweep if %s', async (_words, others, seen) => {
    const asked = new Asked(others, seen);
    await asked.tell(wake);
    expect([asked.sent, asked.heard]).toEqual([[], []]);
  });
});
