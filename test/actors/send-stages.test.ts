/** The effect of alarms, events and echoes on a send in each of its stages. [architecture §5; upstream §4.8] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelFact, Echo } from '../../src/rules/messages/facts.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { echoOf, newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { Turns, accepted, deferred, openMessage, refused, unknown } from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;

/** Processes these facts; returns the lines of the turns up to the stored commit. */
function take(turns: Turns, facts: ChannelFact[], known: OutboundMessage[] = []): string[] {
  const lines = turns.tell({ type: 'take-facts', facts });
  const job = turns.state.facts.nextJob - 1;
  lines.push(...turns.tell({ type: 'facts-resolved', job, known, conversations: [], delivered: [] }));
  lines.push(...turns.tell({ type: 'facts-ended', job, outcome: 'committed', again: [] }));
  return lines;
}

const lost = { type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found: null } as const;
const unanswered = { type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' } as const;

/** Each brings the send `m-1` to one stage; its client has no answer yet. */
const inHand: Record<string, (turns: Turns) => void> = {
  waiting: (turns) => {
    turns.sent('m-0');
    turns.send('m-1');
  },
  claiming: (turns) => void turns.send('m-1'),
  withdrawing: (turns) => {
    turns.send('m-1');
    turns.tell(unanswered);
  },
  postponing: (turns) => {
    turns.sent('m-0').answered('m-0', deferred('pair', 131056));
    turns.send('m-1');
  },
  calling: (turns) => void turns.sent('m-1'),
  accepted: (turns) => void turns.sent('m-1').answer('m-1', accepted('up-9')),
  failed: (turns) => void turns.sent('m-1').answer('m-1', refused),
  reconciling: (turns) => {
    turns.sent('m-1').answered('m-1', deferred());
    turns.pass(2 * seconds);
    turns.tell(lost);
  },
};
const stages = Object.keys(inHand);
const atStage = (stage: string, turns = new Turns()): Turns => {
  inHand[stage]?.(turns);
  expect(turns.state.sends.open.get('m-1')?.stage).toBe(stage);
  return turns;
};

test.each(stages)('an alarm before anything is due has no effect on a send that is %s', (stage) => {
  expect(atStage(stage).tell({ type: 'alarm' })).toEqual([]);
});

test.each([
  ['waiting', []],
  ['withdrawing', []],
  ['postponing', []],
  ['reconciling', [expect.stringMatching(/^→ \d: queued$/)]],
])('a repeated request for a send that is %s waits for its answer, or is answered queued', (stage, lines) => {
  expect(atStage(stage).send('m-1')).toEqual(lines);
});

describe('an event that names our id', () => {
  const named = receiptOf({ status: 'sent', tag: 'm-1', upstreamId: 'up-9' });
  const told = (stage: string): string[] => {
    const turns = atStage(stage);
    const { message } = openMessage({ id: 'm-1' });
    return take(turns, [named], [message]).filter((line) => /^[→✗]/.test(line));
  };

  test('answers the client of a call in flight', () => {
    expect(told('calling')).toEqual(['→ 1: sent']);
  });

  test.each([
    ['calling', ['→ 2: sent']],
    ['claiming', []],
  ])('prevents another call for a repeated request meanwhile: %s', (stage, lines) => {
    const turns = atStage(stage);
    take(turns, [named], [openMessage({ id: 'm-1' }).message]);
    expect(turns.send('m-1')).toEqual(lines);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    const asked = stage === 'claiming' ? ' → 2: sent' : '';
    expect(turns.answer('m-1', accepted('up-9'))).toEqual([
      `record message.sent m-1:accepted=up-9/1${asked}`,
    ]);
  });

  test("and that is stored after the call's answer has no effect", () => {
    const turns = atStage('calling');
    turns.tell({ type: 'take-facts', facts: [named] });
    const { message } = openMessage({ id: 'm-1' });
    turns.tell({ type: 'facts-resolved', job: 1, known: [message], conversations: [], delivered: [] });
    turns.answered('m-1', accepted('up-9'));
    expect(turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] })).toEqual([]);
  });

  test.each(['waiting', 'postponing', 'withdrawing'])('does not concern a send that is %s', (stage) => {
    expect(told(stage)).toEqual([]);
  });

  test('does not change an answer that is being stored: a repeated request waits for it, and no copy is made', () => {
    const turns = atStage('accepted');
    take(turns, [named], [openMessage({ id: 'm-1' }).message]);
    expect(turns.send('m-1')).toEqual([]);
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual(['→ 2: sent']);
  });

  test('does not change a failure that is being stored', () => {
    const turns = atStage('failed');
    take(turns, [named], [openMessage({ id: 'm-1' }).message]);
    expect(turns.send('m-1')).toEqual([]);
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual([
      expect.stringMatching(/^→ 2: .*"failed"/),
    ]);
  });
});

describe('photoapp: an echo of the same text to the same person', () => {
  const hello = (fields: Partial<Echo> = {}): Echo =>
    echoOf({
      channelType: 'photoapp',
      upstreamId: 'up-9',
      recipient: 'mia',
      at: newYear + 5 * seconds,
      parts: [{ type: 'text', text: 'Hello' }],
      ...fields,
    });

  test.each(['claiming', 'withdrawing', 'reconciling'])(
    'is foreign while no copy of ours can exist: %s',
    (stage) => {
      const lines = take(atStage(stage, new Turns({ type: 'photoapp' })), [hello()]);
      expect(lines.join()).toContain('message.echo');
    },
  );

  test('is foreign once our message has its answer', () => {
    const turns = atStage('accepted', new Turns({ type: 'photoapp' }));
    expect(take(turns, [hello({ upstreamId: 'up-7' })]).join()).toContain('message.echo');
  });

  test('that waits is looked up when a copy is due, once, and no other fact is', () => {
    const turns = new Turns({ type: 'photoapp', rules: { sendResendAfterMs: 2 * seconds } });
    turns.sent('lost', 'mia').answered('lost', unknown);
    for (const person of ['mia', 'noah']) {
      turns.sent(`to-${person}`, person, 'Another');
      expect(take(turns, [hello({ recipient: person, upstreamId: `e-${person}` })]).join()).toContain('hold');
    }
    take(turns, [receiptOf({ channelType: 'photoapp', upstreamId: 'up-5', recipient: 'mia' })]);
    turns.now += 2 * seconds;
    const lookUps = [1, 2].flatMap(() => {
      const effects = turns.effects({ type: 'alarm' });
      turns.now += limits.retryPauseMs;
      return effects.flatMap((effect) => (effect.effect === 'resolve-facts' ? [effect.named] : []));
    });
    expect(lookUps).toEqual([[{ id: null, upstreamId: 'e-mia' }]]);
  });
});

describe('after a restart', () => {
  test('a send whose outcome is unknown does not block a postponed one', () => {
    const postponed = { tries: 0, copies: 0, nextTryAt: newYear + 60 * seconds };
    const open = [openMessage({ id: 'm-1' }), openMessage({ id: 'm-2', ...postponed })];
    const turns = new Turns({ open });
    take(turns, [receiptOf({ status: 'sent', tag: 'm-1', upstreamId: 'up-1' })], [openMessage().message]);
    turns.now += 60 * seconds; // it is due, but its alarm has not fired yet
    expect(turns.send('m-3')).toEqual([expect.stringMatching(/^postpone m-3/)]);
  });
});

test('pairs that were used long ago are forgotten in batches', () => {
  const turns = new Turns();
  for (let n = 0; n < limits.turn + 5; n += 1)
    turns.sent(`m-${n}`, `to-${n}`).answered(`m-${n}`, accepted(`up-${n}`));
  turns.now += 10 * minutes;
  turns.tell({ type: 'alarm' });
  expect(turns.state.sends.pairs.size).toBe(5);
  turns.pass(10 * seconds);
  expect(turns.state.sendsAtWork).toBeNull();
});

test('the error of every call is stored, except for a first call that was accepted', async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-1');
  await channel.calls[0]?.answer({
    outcome: 'deferred',
    error: 'Too fast',
    errorCode: 131053,
    traceId: 'T1',
    pause: 'none',
  });
  await channel.clock.pass(2 * seconds);
  await channel.calls[1]?.answer(accepted('up-1'));
  expect(channel.store.messages.get('m-1')?.calls).toMatchObject({
    1: { outcome: 'deferred', error: 'Too fast', code: 131053, traceId: 'T1' },
    2: { outcome: 'accepted', error: null, code: null, traceId: null },
  });
});
