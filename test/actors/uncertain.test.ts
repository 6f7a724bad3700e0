import { describe, expect, test } from '@jest/globals';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { echoOf, inboundOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { ourAppId } from './support/model-upstream.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { Turns, accepted, openMessage, reloaded } from './support/turns.ts';

const taken = { outcome: 'accepted', upstreamId: 'up-1' } as const;

describe('a lease that may be over', () => {
  test('is noticed between claim and call: nothing is called, the client is answered queued, and it is sent later', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseValid = false;
    const { reply } = await channel.send('m-1');
    expect([await reply, channel.calls.length]).toEqual([{ status: 'queued' }, 0]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'queued', copies: 0, tries: 1 });
    channel.isLeaseValid = true;
    await channel.clock.pass(1_000);
    await channel.calls[0]?.answer(taken);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', copies: 1, tries: 2 });
  });
});

describe('a lease that Redis could not confirm', () => {
  test('does not stop the owner: the store is asked after the claim, and the call is made', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseSure = false;
    const { reply } = await channel.send('m-1');
    await channel.calls[0]?.answer(taken);
    expect([await reply, channel.calls[0]?.sent.mayStart?.()]).toEqual([{ status: 'sent' }, true]);
  });

  test('ends when the store has a higher epoch: nothing is called, and the claim blocks nobody', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseSure = false;
    channel.store.minted.set('channel-1', 2);
    const { reply } = await channel.send('m-1');
    await expect(reply).rejects.toBeInstanceOf(ActivationGone);
    expect(channel.calls).toEqual([]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'queued', copies: 0, tries: 1 });
    await channel.takeOver();
    await channel.clock.pass(1_000);
    await channel.calls[0]?.answer(taken);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', copies: 1, tries: 2 });
  });

  test('and a store that does not answer either: nothing is called, the client is answered queued, and it is sent later', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseSure = false;
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      return operations === 2 ? 'down' : 'well';
    };
    const { reply } = await channel.send('m-1');
    expect([await reply, channel.calls.length]).toEqual([{ status: 'queued' }, 0]);
    await channel.clock.pass(1_000);
    await channel.calls[0]?.answer(taken);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', copies: 1, tries: 2 });
  });

  test('lets a call wait for a connection for a while, but not for long', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseSure = false;
    await channel.send('m-1');
    const mayStart = channel.calls[0]?.sent.mayStart;
    await channel.clock.pass(4_000);
    expect(mayStart?.()).toBe(true);
    await channel.clock.pass(2_000);
    expect(mayStart?.()).toBe(false);
  });
});

describe('an owner that has been replaced', () => {
  test.each([
    ['chatapp', 'message.sent m-1'],
    ['photoapp', 'message.delivered m-1'],
  ] as const)('%s: the answer to its last call is still stored, with its event', async (type, event) => {
    const channel = await LiveChannel.started({ type });
    await channel.send('m-1');
    await channel.takeOver();
    await channel.calls[0]?.answer(taken);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', upstreamIds: ['up-1'] });
    expect(channel.events).toEqual([event]);
    // The new owner claims no copy of it, and finds the event.
    await channel.clock.pass(600_000);
    expect([channel.calls.length, channel.posts.length, channel.state?.sends.open.size]).toEqual([1, 1, 0]);
  });

  test('that crashed between the event and the status: a send that was answered sent stays sent, and is never called again', async () => {
    const channel = await LiveChannel.started();
    channel.writesInTwo = true;
    const { reply } = await channel.send('m-1');
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      return operations === 1 ? 'well' : 'down';
    };
    await channel.calls[0]?.answer(taken);
    expect(await reply).toEqual({ status: 'sent' });
    expect(channel.store.messages.get('m-1')?.state).toBe('sending');
    channel.mood = () => 'well';
    await channel.takeOver();
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', upstreamIds: ['up-1'] });
    await channel.clock.pass(600_000);
    expect([channel.calls.length, channel.posts.length, channel.events]).toEqual([
      1,
      1,
      ['message.sent m-1'],
    ]);
  });

  test('a store that hangs between event and status: the client has its answer, and a receipt finds its message', async () => {
    const channel = await LiveChannel.started();
    channel.writesInTwo = true;
    const { reply } = await channel.send('m-1');
    let isDown = false;
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      isDown ||= operations === 2;
      return isDown ? 'down' : 'well';
    };
    await channel.calls[0]?.answer(taken);
    expect(await reply).toEqual({ status: 'sent' });
    isDown = false;
    expect(await channel.facts(receiptOf())).toEqual({ taken: 1, dropped: 0 });
    await channel.clock.pass(10_000);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', rank: 2 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });

  test('may not void a claim that its successor has taken over', async () => {
    const channel = await LiveChannel.started();
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      if (operations === 1) return 'silent'; // the insert is applied, but not answered
      if (operations > 2) return 'well';
      const inserted = channel.store.messages.get('m-1');
      if (inserted !== undefined) inserted.epoch = 2; // loaded by another owner
      return 'down';
    };
    const { reply } = await channel.send('m-1');
    const failure = reply.catch((error: unknown) => error);
    await channel.clock.pass(50);
    expect(await failure).toBeInstanceOf(ActivationGone);
    expect(await failure).toMatchObject({ untouched: false });
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sending', copies: 1 });
  });
});

describe('a first claim that the store did not answer', () => {
  test.each([
    ['it was stored', 'silent', 'failed'],
    ['it was not', 'down', 'abandoned'],
  ] as const)('%s: made void, 503, never called', async (_case, mood, state) => {
    const channel = await LiveChannel.started();
    let isFirst = true;
    channel.mood = () => {
      const now = isFirst ? mood : 'well';
      isFirst = false;
      return now;
    };
    const { reply } = await channel.send('m-1');
    await expect(reply).rejects.toThrow('nothing was sent');
    expect([channel.calls.length, channel.store.messages.get('m-1')?.state]).toEqual([0, state]);
    await channel.takeOver();
    await channel.clock.pass(600_000);
    expect(channel.calls.length).toBe(0);
  });
});

describe('an event that may be stored', () => {
  test('is found and posted although its insert was not answered', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    let isFirst = true;
    channel.mood = () => {
      const now = isFirst ? 'silent' : 'well';
      isFirst = false;
      return now;
    };
    await channel.calls[0]?.answer(taken);
    await channel.clock.pass(50);
    expect([channel.events, channel.posts.length]).toEqual([['message.sent m-1'], 1]);
  });

  test('is read again if a read was running already', () => {
    const turns = new Turns();
    const delivery = {
      event: 'message.read' as const,
      messageId: 'm',
      requestId: null,
      attempts: 0,
      claims: 0,
      firstTriedAt: null,
    };
    const added = ['d-1', 'd-2'].map((id) => ({
      delivery: { ...delivery, id, nextDueAt: newYear, attemptLog: null, createdAt: newYear, bytes: 1 },
      payload: null,
    }));
    turns.tell({ type: 'deliveries-added', added, arrivedAt: null });
    expect(turns.tell({ type: 'post-ended', deliveryId: 'd-1', outcome: 'lost' })).toEqual([
      'load deliveries',
    ]);
    expect(turns.tell({ type: 'post-ended', deliveryId: 'd-2', outcome: 'lost' })).toEqual([]);
    const noMore = (): string[] =>
      turns.tell({ type: 'deliveries-loaded', deliveries: [], storeHasMoreDeliveries: false });
    expect([noMore(), noMore()]).toEqual([['load deliveries'], []]);
  });

  test('that upstream redelivers while it is pending is posted once', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    await channel.facts(inboundOf());
    await channel.facts(inboundOf());
    expect([channel.events.length, channel.posts.length]).toEqual([1, 1]);
  });
});

describe('facts that wait', () => {
  test('a receipt that waited is matched when an echo confirms its message, whose answer was lost', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.send('m-1');
    await channel.calls[0]?.answer({ outcome: 'unknown', error: 'reset' });
    await channel.facts(readOf('pagechat', { status: 'delivered', at: newYear + 1_000 }));
    expect(channel.events).toEqual([]);
    const own = { upstreamId: 'up-1', recipient: 'mia', appId: ourAppId, tag: 'm-1' };
    await channel.facts(echoOf({ channelType: 'pagechat', ...own }));
    await channel.settled;
    expect([channel.events, channel.store.unmatched.size]).toEqual([['message.delivered m-1'], 0]);
  });

  test('a later receipt that came while the earlier one was dropped stays stored', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1');
    const resolved = (job: number) =>
      turns.tell({ type: 'facts-resolved', job, known: [], conversations: [[]], delivered: [] });
    turns.tell({ type: 'take-facts', facts: [readOf('pagechat', { at: newYear + 100 })] });
    expect(resolved(1)).toEqual(['commit 1! hold c/read/mia']);
    turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });

    turns.answer('m-1', accepted());
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual(['look up 2!']);
    expect(resolved(2)).toEqual(['commit 2! drop c/read/mia']);
    turns.sent('m-2');
    turns.tell({ type: 'take-facts', facts: [readOf('pagechat', { at: newYear + 200 })] });
    expect(resolved(3)).toEqual(['commit 3! hold c/read/mia']);
    turns.tell({ type: 'facts-ended', job: 3, outcome: 'committed', again: [] });
    expect(turns.tell({ type: 'facts-ended', job: 2, outcome: 'committed', again: [] })).toEqual([
      'record hold c/read/mia',
    ]);
    expect(turns.state.facts.unmatched.size).toBe(1);
  });
});

test('a send that ended while the store was read again is not taken over a second time', () => {
  const turns = new Turns({ epoch: 2 });
  expect(turns.pass(15_000)).toEqual(['reload []']);
  turns.sent('m-1').answered('m-1', accepted());
  const sends = [openMessage({ id: 'm-1', state: 'sending' }), openMessage({ id: 'left' })];
  turns.tell(reloaded({ sends }));
  expect([...turns.state.sends.open.keys()]).toEqual(['left']);
});

describe('a send that was postponed while no owner answered', () => {
  const leave = ({ store, clock }: LiveChannel): void => {
    const at = clock.now();
    const { message } = openMessage({ id: 'left', state: 'queued', copies: 0, tries: 0, epoch: 0 });
    const content = plainSealer.seal(
      Buffer.from('{"type":"text","text":"Hello"}'),
      sealContext.content('channel-1', 'left'),
    );
    store.messages.set('left', { ...message, content, attemptedAt: at, createdAt: at, nextTryAt: at });
  };

  test('is taken over by the next owner, before later sends', async () => {
    const channel = new LiveChannel();
    leave(channel);
    await channel.takeOver();
    await channel.send('later');
    expect(channel.calls.map(({ sent }) => sent.messageId)).toEqual(['left']);
    await channel.calls[0]?.answer(taken);
    await channel.clock.pass(10_000);
    expect(channel.calls.map(({ sent }) => sent.messageId)).toEqual(['left', 'later']);
  });

  test('is taken over by a living owner, when a sweep wakes it', async () => {
    const channel = await LiveChannel.started();
    leave(channel);
    channel.tell({ type: 'wake' });
    await channel.clock.pass(5_000);
    expect(channel.calls).toEqual([]);
    channel.tell({ type: 'wake', untaken: true });
    await channel.clock.pass(0);
    await channel.calls[0]?.answer(taken);
    expect(channel.store.messages.get('left')).toMatchObject({ state: 'sent', copies: 1, tries: 1 });
  });

  test('is not sent twice by an owner that had it in memory: it finds it stored, and calls once', async () => {
    const channel = await LiveChannel.started();
    leave(channel);
    const { reply } = await channel.send('left');
    expect(await reply).toEqual({ status: 'queued' });
    await channel.clock.pass(0);
    expect(channel.calls).toHaveLength(1);
    await channel.calls[0]?.answer(taken);
    await channel.clock.pass(600_000);
    expect(channel.calls).toHaveLength(1);
  });
});
