/** [architecture §5; faults: 6, 152, I3] What the node that was asked knows of an ask that no owner has answered. */
import { describe, expect, test } from '@jest/globals';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { Host } from '../../actors/runtime/host.ts';
import type { Answer } from '../../src/cluster/link.ts';
import type { Member } from '../../src/cluster/member.ts';
import { Router } from '../../src/cluster/router.ts';
import { soloOwnership } from '../../src/cluster/solo.ts';
import { FakeClock } from '../support/fake-clock.ts';

const channelId = 'channel-1';
const send: ChannelAsk = {
  type: 'send',
  messageId: 'm-1',
  recipient: '49',
  content: { type: 'text', text: 'hello' },
};
const leaseTtlMs = 10_000;

/** The node that is asked never comes to act. */
const nobody: ActorKind<unknown, ChannelMessage, unknown> = {
  load: () => Promise.reject(new Error('the channel is owned elsewhere')),
  decide: () => [],
  perform: () => Promise.resolve(),
  wakeAt: () => null,
  alarm: { type: 'alarm' },
  drain: { type: 'drain' },
  isQuiet: () => true,
  isIdle: () => true,
};

function aMember(incarnation: string): Member {
  const url = `wss://${incarnation}:1`;
  return { nodeId: incarnation, incarnation, url, startedAt: 0, draining: false, leaseTtlMs };
}

/** What a node does with what it is given; `dies`: its link closes, it is gone. null: there is no link to it. */
type Behaviour = Answer | 'dies' | null;

const gaveBack = (why: 'suspended' | 'unavailable' | 'lost'): Behaviour => ({ refusal: { why } });

/** A node that is asked and owns nothing, and others: the first of those that live is the owner. */
class Asked {
  readonly #clock = new FakeClock();
  readonly #live: Map<string, Behaviour>;
  /** Who was given the ask. */
  readonly given: string[] = [];
  readonly #router: Router;

  constructor(others: Record<string, Behaviour>) {
    this.#live = new Map(Object.entries(others));
    const clock = this.#clock;
    this.#router = new Router({
      host: new Host({
        kind: nobody,
        ownership: soloOwnership(() => Promise.resolve(1)),
        clock,
        mailboxCapacity: 10,
        idleAfterMs: 60_000,
        onFailure: () => undefined,
      }),
      directory: {
        remembered: () => undefined,
        remember: () => undefined,
        evict: () => undefined,
        release: () => Promise.resolve(),
      },
      claims: { find: async () => [...this.#live.keys()][0] ?? null },
      links: { get: (incarnation) => this.#linkTo(incarnation) },
      membership: {
        find: (incarnation) => (this.#live.has(incarnation) ? aMember(incarnation) : undefined),
        refresh: () => Promise.resolve(),
      },
      placement: { nodeFor: () => null },
      self: aMember('self'),
      askBudgetMs: leaseTtlMs + 5_000,
      canOwn: () => true,
      wasOwner: () => true,
      clock,
    });
  }

  /** What becomes of the ask within a minute. */
  async outcome(ask: ChannelAsk): Promise<unknown> {
    const asking = this.#router.ask(channelId, ask).catch((error: unknown) => error);
    await this.#clock.pass(60_000);
    return asking;
  }

  /** What becomes of the ask when the node that was asked leaves a moment later. */
  async outcomeOfLeaving(ask: ChannelAsk): Promise<unknown> {
    const asking = this.#router.ask(channelId, ask).catch((error: unknown) => error);
    await this.#clock.pass(1);
    this.#router.leave();
    return asking;
  }

  #linkTo(incarnation: string) {
    const behaviour = this.#live.get(incarnation) ?? null;
    if (behaviour === null) return undefined;
    return {
      ask: (): Promise<Answer> => {
        this.given.push(incarnation);
        if (behaviour === 'dies') this.#live.delete(incarnation);
        return Promise.resolve(behaviour === 'dies' ? 'closed' : behaviour);
      },
      send: () => undefined,
    };
  }
}

const inNoHand = { name: 'OwnerLost', isInHand: false, nodesGone: 0 };
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
    ['is full', { refusal: { why: 'fault', code: 'overloaded', details: {} } }],
    ['has broken', { refusal: { why: 'fault', code: 'internal', details: {} } }],
  ])('whose owner died may be done, though the next one %s', async (_words, next) => {
    expect(await new Asked({ two: 'dies', three: next }).outcome(send)).toMatchObject(inHand(1));
  });

  test('that two owners died of is given to no third [faults: 152]', async () => {
    const asked = new Asked({ two: 'dies', three: 'dies', four: { reply: 'sent' } });
    expect(await asked.outcome(send)).toMatchObject(inHand(2));
    expect(asked.given).toEqual(['two', 'three']);
  });
});

describe('of a node that leaves', () => {
  test('a send that waits for an owner is in no hand at once', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving(send)).toMatchObject(inNoHand);
  });

  test('another ask that waits is refused at once', async () => {
    expect(await new Asked({ two: null }).outcomeOfLeaving({ type: 'inspect' })).toMatchObject(refused);
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
  ])('%s', async (_words, others, outcome) => {
    expect(await new Asked(others).outcome({ type: 'inspect' })).toMatchObject(outcome);
  });
});
