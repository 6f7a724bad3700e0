/** What a call to upstream contains, and what its claim stores, also if another owner has the send. [architecture §5] */
import { describe, expect, test } from '@jest/globals';
import { sealContext } from '../../src/kernel/sealed.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import type { StoreMood } from './support/live-channel.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { accepted, deferred, openMessage, refused, settingsOf, unknown } from './support/turns.ts';

const content = { type: 'text', text: 'Hello' } as const;
const ids = { channel: 'channel-1', message: 'm-1', request_id: 'request-1' };

/** Sends `m-1`; `reply` resolves with the answer to the client, or with the refusal. */
async function asked(channel: LiveChannel): Promise<{ reply: Promise<unknown> }> {
  const send = { type: 'send', messageId: 'm-1', recipient: 'mia', content, requestId: 'request-1' } as const;
  const reply = channel.ask(send).catch((error: unknown) => error);
  await channel.settled;
  return { reply };
}

/** Sets the store's behaviour for its next operations; later ones succeed. */
function moods(channel: LiveChannel, ...next: StoreMood[]): void {
  channel.mood = () => next.shift() ?? 'well';
}

function stored(fields: Partial<OutboundMessage>, id = 'm-1'): OutboundMessage {
  const sealed = plainSealer.seal(Buffer.from(JSON.stringify(content)), sealContext.content('channel-1', id));
  return { ...openMessage({ id, content: sealed, ...fields }).message };
}

test('upstream gets the recipient, the content, our message id and the request id', async () => {
  const channel = await LiveChannel.started();
  await asked(channel);
  expect(channel.calls.map(({ sent: { mayStart: _mayStart, ...call } }) => call)).toEqual([
    {
      channel: settingsOf().channel,
      messageId: 'm-1',
      recipient: 'mia',
      content,
      timeoutMs: 180_000,
      requestId: 'request-1',
    },
  ]);
});

test('a claim stores the whole message, with its content encrypted', async () => {
  const channel = await LiveChannel.started();
  await channel.clock.pass(1_000);
  await asked(channel);
  const at = newYear + 1_000;
  expect([...channel.store.messages.values()]).toEqual([
    stored({ state: 'sending', attemptedAt: at, createdAt: at }),
  ]);
});

test("a send that waits for the end of upstream's pause is stored as queued, with its next try and its reason", async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-0');
  await channel.calls[0]?.answer(deferred('pair', 131056));
  await asked(channel);
  const nextTryAt = channel.state?.sends.open.get('m-1')?.nextTryAt ?? 0;
  expect(nextTryAt).toBeGreaterThan(newYear);
  const error =
    'The message waits: upstream limits the rate of this channel, or has refused a call before it';
  expect(channel.lookedUp).toEqual([]);
  expect(channel.store.messages.get('m-1')).toEqual(
    stored({ state: 'queued', copies: 0, tries: 0, nextTryAt, error }),
  );
});

describe('a call that waits for a connection', () => {
  const waiting = async (): Promise<[LiveChannel, () => boolean | undefined]> => {
    const channel = await LiveChannel.started();
    await asked(channel);
    return [channel, () => channel.calls[0]?.sent.mayStart?.()];
  };

  test('may start while the owner still owns the channel', async () => {
    const [channel, mayStart] = await waiting();
    await channel.clock.pass(29_000);
    expect(mayStart()).toBe(true);
  });

  test('may not start once the lease is over, nor once another node owns the channel', async () => {
    const [channel, mayStart] = await waiting();
    channel.isLeaseValid = false;
    expect(mayStart()).toBe(false);
    channel.isLeaseValid = true;
    await channel.takeOver();
    expect(mayStart()).toBe(false);
  });

  test('may start until 5 s after the last time the call knew that the lease is certain', async () => {
    const [channel, mayStart] = await waiting();
    channel.isLeaseSure = false;
    await channel.clock.pass(4_999);
    expect(mayStart()).toBe(true);
    await channel.clock.pass(1);
    expect(mayStart()).toBe(false);
  });
});

test.each([
  ['the lease is over', [], (channel: LiveChannel) => void (channel.isLeaseValid = false)],
  [
    'the store does not say whether the lease is over',
    [['send.claim-unsure', { ...ids, times: 1 }]],
    (channel: LiveChannel) => {
      channel.isLeaseSure = false;
      moods(channel, 'well', 'down');
    },
  ],
  [
    'another owner has the channel',
    [],
    (channel: LiveChannel) => {
      channel.isLeaseSure = false;
      channel.store.minted.set('channel-1', 2);
    },
  ],
])(
  'a send that is claimed but not called because %s: no copy, and the reason is stored',
  async (_why, line, turns) => {
    const channel = await LiveChannel.started();
    turns(channel);
    await asked(channel);
    expect(channel.lines).toEqual(line);
    expect([channel.calls, channel.store.messages.get('m-1')]).toMatchObject([
      [],
      {
        state: 'queued',
        copies: 0,
        tries: 1,
        error: 'The channel is moving to another node',
        errorCode: null,
      },
    ]);
  },
);

describe('the answer to a call whose owner has been replaced', () => {
  test.each([
    ['refused', refused],
    ['unknown', unknown],
    ['deferred', deferred()],
  ])('%s: nothing is stored, so the next owner does not know the outcome', async (_outcome, outcome) => {
    const channel = await LiveChannel.started();
    await asked(channel);
    await channel.takeOver();
    const before = structuredClone(channel.store.messages.get('m-1'));
    await channel.calls[0]?.answer(outcome);
    expect([channel.store.messages.get('m-1'), channel.lines]).toEqual([before, []]);
  });

  test('not made, because it waited for a connection until its owner was gone: the next owner need not wait for it [faults: 557]', async () => {
    const channel = await LiveChannel.started();
    await asked(channel);
    await channel.takeOver();
    expect(channel.calls[0]?.sent.mayStart?.()).toBe(false);
    await channel.calls[0]?.answer(deferred());
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'queued',
      copies: 0,
      nextTryAt: newYear,
    });
  });

  test('accepted while the store is down: one attempt to store it, and a log line that names the send', async () => {
    const channel = await LiveChannel.started();
    await asked(channel);
    await channel.takeOver();
    moods(channel, 'down');
    await channel.calls[0]?.answer(accepted());
    await channel.clock.pass(60_000);
    expect([channel.events, channel.lines]).toEqual([[], [['send.late-result-lost', ids]]]);
  });
});

describe('a first claim that the store did not answer', () => {
  test('and did not apply: a marker reserves its id permanently', async () => {
    const channel = await LiveChannel.started();
    moods(channel, 'down');
    const { reply } = await asked(channel);
    expect(await reply).toMatchObject({ code: 'unavailable' });
    const marker = { state: 'abandoned', content: null, messageType: null, copies: 0, tries: 0 } as const;
    expect(channel.store.messages.get('m-1')).toEqual(stored(marker));
    expect(channel.lines).toEqual([['send.claim-failed', { ...ids, times: 1 }]]);
  });

  test('and did apply: the send ends as failed, with the present time and the reason that nothing was sent', async () => {
    const channel = await LiveChannel.started();
    await channel.clock.pass(1_000);
    moods(channel, 'silent');
    const { reply } = await asked(channel);
    expect(await reply).toMatchObject({ code: 'unavailable' });
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'failed',
      error: 'Not sent: the store was not available',
      errorCode: null,
      failedAt: newYear + 1_000,
    });
  });

  test('is made void however often the store has to be asked', async () => {
    const channel = await LiveChannel.started();
    moods(channel, 'silent', 'down', 'down');
    const { reply } = await asked(channel);
    await channel.clock.pass(500);
    expect(await reply).toMatchObject({ code: 'unavailable' });
    expect(channel.store.messages.get('m-1')?.state).toBe('failed');
  });

  test('whose id another node has stored meanwhile: queued, and sent once', async () => {
    const channel = await LiveChannel.started();
    await channel.clock.pass(1_000);
    const left = stored({ state: 'queued', copies: 0, tries: 0, epoch: 0, nextTryAt: newYear });
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      if (operations === 1) return 'down';
      if (operations === 2) channel.store.messages.set('m-1', left);
      return 'well';
    };
    const { reply } = await asked(channel);
    expect(await reply).toEqual({ status: 'queued' });
    await channel.clock.pass(0);
    await channel.calls[0]?.answer(accepted());
    await channel.clock.pass(600_000);
    expect([channel.calls.length, channel.store.messages.get('m-1')]).toMatchObject([
      1,
      { state: 'sent', copies: 1, tries: 1 },
    ]);
  });
});

describe('a send whose id is taken', () => {
  test.each([
    ['sent', { status: 'sent' }],
    ['queued', { status: 'queued' }],
  ] as const)('by one that is %s gets that answer, also if the store answers late', async (state, told) => {
    const channel = await LiveChannel.started();
    channel.store.messages.set('m-1', stored({ state, nextTryAt: null }));
    moods(channel, 'well', 'down', 'down');
    const { reply } = await asked(channel);
    await channel.clock.pass(500);
    expect([await reply, channel.calls]).toEqual([told, []]);
  });

  test("and that would have to wait for upstream's pause gets that answer too", async () => {
    const channel = await LiveChannel.started();
    channel.store.messages.set('m-1', stored({ state: 'sent' }));
    await channel.send('m-0');
    await channel.calls[0]?.answer(deferred('pair', 131056));
    const { reply } = await asked(channel);
    expect(await reply).toEqual({ status: 'sent' });
  });
});

test("a send that would wait for upstream's pause and that the store does not accept: 503, and its id is reserved", async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-0');
  await channel.calls[0]?.answer(deferred('pair', 131056));
  moods(channel, 'down');
  const { reply } = await asked(channel);
  expect(await reply).toMatchObject({ code: 'unavailable' });
  expect(channel.store.messages.get('m-1')?.state).toBe('abandoned');
  expect(channel.lines).toEqual([['send.claim-failed', { ...ids, times: 1 }]]);
});

test('while the lease is certain, the store is not asked between claim and call', async () => {
  const channel = await LiveChannel.started();
  let operations = 0;
  channel.mood = () => {
    operations += 1;
    return 'well';
  };
  await asked(channel);
  expect([channel.calls.length, operations]).toEqual([1, 1]);
});

describe('the second copy, by another owner', () => {
  const recalled = async (): Promise<LiveChannel> => {
    const channel = await LiveChannel.started();
    await asked(channel);
    await channel.takeOver();
    await channel.clock.pass(180_000);
    expect(channel.calls).toHaveLength(2);
    return channel;
  };

  test('is stored with the first call, whose outcome is unknown', async () => {
    const channel = await recalled();
    expect(channel.store.messages.get('m-1')?.calls).toEqual({
      1: { at: newYear, endedAt: null, outcome: 'unknown', error: null, code: null, traceId: null },
    });
  });

  test('if upstream accepted the first call after all, no status is earlier than the second call', async () => {
    const channel = await recalled();
    channel.receiver = 'by hand';
    await channel.calls[0]?.answer(accepted('up-1'));
    const tag = { tag: 'm-1', upstreamId: 'up-1' };
    await channel.facts(receiptOf({ ...tag, status: 'read', at: newYear + 5_000 }));
    const body = Buffer.from(channel.posts.at(-1)?.sent.body ?? []).toString();
    expect(JSON.parse(body)).toMatchObject({
      event: 'message.read',
      timestamp: new Date(newYear + 180_000).toISOString(),
    });
  });
});
