/** [operator-interface §3] The nodes as operators see them, and a node that is asked to drain. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../src/ownership/link.ts';
import type { Member } from '../../src/ownership/member.ts';
import { NodesView } from '../../src/ownership/nodes-view.ts';
import type { NodeAsk } from '../../src/ownership/wire.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aMember } from './support/members-on-clock.ts';
import { refusalOf } from '../features/support/service.ts';

const [self, other] = [aMember('self'), aMember('other')];
const status = {
  version: '1.2.3',
  commit: 'def456',
  lease: 'unsure',
  busy: 0.5,
  memoryBytes: 1,
  sendsOpen: 2,
  sendsWaiting: 3,
  oldestSendMs: 4,
  deliveriesPending: 5,
  oldestDeliveryMs: 6,
  receiversFailing: 7,
  peersWithoutLink: 8,
};

let clock: FakeClock;
let live: Member[];
/** The answer of each peer; without one there is no link. */
let answers: Map<string, (ask: NodeAsk) => Answer | Promise<Answer>>;
let asked: string[];
let drained: number;
let figures: Record<string, number>;
/** The channels that are active here. */
let here: string[];
/** The owners in the store; an error: it does not answer. */
let owners: Map<string, string> | Error;
let placed: Member | null;
let view: NodesView;

beforeEach(() => {
  clock = new FakeClock();
  live = [self, other];
  answers = new Map([[other.incarnation, () => ({ reply: status })]]);
  [asked, here, drained, figures, owners, placed] = [[], [], 0, {}, new Map(), null];
  const store = () => {
    if (owners instanceof Error) throw owners;
    return owners;
  };
  view = new NodesView({
    self,
    clock,
    host: {
      size: 3,
      figures: () => figures,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whether there is one is all that is asked
      live: (channelId) => (here.includes(channelId) ? ({} as never) : undefined),
    },
    owners: {
      countOwnedBy: async (incarnation) => [...store().values()].filter((one) => one === incarnation).length,
    },
    claims: { find: async (channelId) => store().get(channelId) ?? null },
    membership: {
      live: () => live,
      find: (incarnation) => live.find((member) => member.incarnation === incarnation),
    },
    placement: { nodeFor: () => placed },
    links: {
      get: (incarnation) => {
        const answer = answers.get(incarnation);
        if (answer === undefined) return undefined;
        return {
          askNode: async (ask) => {
            asked.push(`${incarnation} ${ask}`);
            return answer(ask);
          },
        };
      },
    },
    run: () => ({ version: '0.1.0', commit: 'abc123', busy: 0, memoryBytes: 9 }),
    lease: () => 'held',
    peersWithoutLink: () => 1,
    drainHere: async () => void (drained += 1),
  });
});

async function statusOfOther() {
  const nodes = view.nodes();
  await clock.pass(2_000);
  return (await nodes)[1]?.status;
}

describe('the nodes', () => {
  test('are each listed with their own status, and with what they own', async () => {
    owners = new Map([
      ['channel-1', other.incarnation],
      ['channel-2', other.incarnation],
      ['channel-3', self.incarnation],
    ]);
    live = [self, { ...other, draining: true, startedAt: 7 }];
    expect(await view.nodes()).toEqual([
      {
        nodeId: 'self',
        startedAt: 5,
        draining: false,
        channelsOwned: 3,
        isLinked: true,
        status: {
          version: '0.1.0',
          commit: 'abc123',
          lease: 'held',
          busy: 0,
          memoryBytes: 9,
          sendsOpen: 0,
          sendsWaiting: 0,
          oldestSendMs: 0,
          deliveriesPending: 0,
          oldestDeliveryMs: 0,
          receiversFailing: 0,
          peersWithoutLink: 1,
        },
      },
      { nodeId: 'other', startedAt: 7, draining: true, channelsOwned: 2, isLinked: true, status },
    ]);
    expect(asked).toEqual(['other:1 status']);
  });

  test('report how much waits on them', async () => {
    figures = {
      sends_open: 1,
      sends_waiting: 2,
      sends_oldest_open_seconds: 3,
      deliveries_pending: 4,
      deliveries_oldest_pending_seconds: 5,
      receivers_failing: 6,
    };
    expect((await view.nodes())[0]?.status).toMatchObject({
      sendsOpen: 1,
      sendsWaiting: 2,
      oldestSendMs: 3_000,
      deliveriesPending: 4,
      oldestDeliveryMs: 5_000,
      receiversFailing: 6,
    });
  });

  test('are listed without the data of the store while it is down', async () => {
    owners = new Error('away');
    expect(await view.nodes()).toMatchObject([
      { nodeId: 'self', channelsOwned: 3 },
      { nodeId: 'other', channelsOwned: 0, status },
    ]);
  });

  test('that do not answer within two seconds are listed without a status', async () => {
    let answer: (given: Answer) => void = () => undefined;
    answers.set(other.incarnation, () => new Promise((resolve) => (answer = resolve)));
    const nodes = view.nodes();
    await clock.pass(1_999);
    expect(clock.pending).toBe(1);
    await clock.pass(1);
    answer({ reply: status });
    expect((await nodes)[1]).toMatchObject({ nodeId: 'other', status: null });
  });

  test('that answer leave no timer behind', async () => {
    await view.nodes();
    expect(clock.pending).toBe(0);
  });

  test.each<[string, Answer | null]>([
    ['can not be reached', null],
    ['closed its link', 'closed'],
    ['refuses', { refusal: { why: 'unavailable' } }],
    ['speaks of itself in words of another build', { reply: { ...status, lease: 'borrowed' } }],
    ['tells no version', { reply: { ...status, version: 7 } }],
    ['tells nothing', { reply: null }],
  ])('one that %s is listed without a status', async (_words, answer) => {
    if (answer === null) answers.clear();
    else answers.set(other.incarnation, () => answer);
    expect(await statusOfOther()).toBeNull();
  });

  test.each(['alone', 'held', 'unsure', 'lost'])('may have a lease that is %s', async (lease) => {
    answers.set(other.incarnation, () => ({ reply: { ...status, lease } }));
    expect(await statusOfOther()).toMatchObject({ lease });
  });

  test('are missing, and the node is not linked, while there is no link to it', async () => {
    answers.clear();
    expect((await view.nodes()).map(({ isLinked, status: said }) => [isLinked, said === null])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('of a build that does not say its commit have an unknown one', async () => {
    answers.set(other.incarnation, () => ({ reply: { ...status, commit: undefined } }));
    expect(await statusOfOther()).toEqual({ ...status, commit: 'unknown' });
  });

  test('of another build have 0 for what is not a number, and a version of bounded length', async () => {
    const odd = { busy: 'very', memoryBytes: null, sendsOpen: Infinity, version: 'v'.repeat(100) };
    answers.set(other.incarnation, () => ({ reply: { ...status, ...odd } }));
    const bounded = { busy: 0, memoryBytes: 0, sendsOpen: 0, version: 'v'.repeat(64) };
    expect(await statusOfOther()).toEqual({ ...status, ...bounded });
  });
});

describe('a drain', () => {
  const drain = (nodeId: string | null) => view.drain(nodeId);
  const unavailable = expect.objectContaining({ status: 503 });

  test.each([[null], ['self']])('of %s drains this node', async (nodeId) => {
    await drain(nodeId);
    expect([drained, asked]).toEqual([1, []]);
  });

  test('of another node is sent to it, once it is known to answer', async () => {
    await drain('other');
    expect([drained, asked]).toEqual([0, ['other:1 status', 'other:1 drain']]);
  });

  test('of a restarted node is sent to its newest run', async () => {
    const newer = { ...other, incarnation: 'other:2', startedAt: 6 };
    answers.set('other:2', () => ({ reply: status }));
    for (const order of [
      [self, other, newer],
      [self, newer, other],
    ]) {
      live = order;
      asked.length = 0;
      await drain('other');
      expect(asked).toEqual(['other:2 status', 'other:2 drain']);
    }
  });

  test('of an unknown node is 404', async () => {
    expect(await refusalOf(drain('another'))).toEqual({ status: 404, detail: 'Node not found' });
  });

  test('of a node without a status, perhaps of an older build, is refused and not sent', async () => {
    answers.set(other.incarnation, () => ({ reply: null }));
    expect(await refusalOf(drain('other'))).toEqual(unavailable);
    expect(asked).toEqual(['other:1 status']);
  });

  test('that its node refuses is refused', async () => {
    answers.set(other.incarnation, (ask) => (ask === 'status' ? { reply: status } : 'closed'));
    expect(await refusalOf(drain('other'))).toEqual(unavailable);
  });

  test('waits as long as the node needs', async () => {
    let ended: (given: Answer) => void = () => undefined;
    answers.set(other.incarnation, (ask) =>
      ask === 'status' ? { reply: status } : new Promise((resolve) => (ended = resolve)),
    );
    const draining = drain('other');
    await clock.pass(60_000);
    expect(clock.pending).toBe(0);
    ended({ reply: null });
    await draining;
    expect(asked).toHaveLength(2);
  });
});

describe('a request of a peer', () => {
  test('for the status is answered', async () => {
    expect(await view.answer('status')).toMatchObject({ version: '0.1.0', lease: 'held', memoryBytes: 9 });
    expect(drained).toBe(0);
  });

  test('for a drain is answered when it has ended', async () => {
    expect(await view.answer('drain')).toBeNull();
    expect(drained).toBe(1);
  });
});

describe('the node of a channel is', () => {
  test('this one if the channel is active here, whatever the store says', async () => {
    [here, owners] = [['channel-1'], new Map([['channel-1', other.incarnation]])];
    expect(await view.whereIs('channel-1')).toBe('self');
  });

  test('its owner, else its chosen node, else this one', async () => {
    owners = new Map([['channel-1', other.incarnation]]);
    placed = { ...other, nodeId: 'third' };
    expect(await view.whereIs('channel-1')).toBe('other');
    expect(await view.whereIs('channel-2')).toBe('third');
    owners = new Map([['channel-1', 'a run that is gone']]);
    expect(await view.whereIs('channel-1')).toBe('third');
    placed = null;
    expect(await view.whereIs('channel-2')).toBe('self');
  });

  test('its chosen node while the store is down', async () => {
    [owners, placed] = [new Error('away'), other];
    expect(await view.whereIs('channel-1')).toBe('other');
  });
});
