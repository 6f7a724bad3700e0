/** The upstream errors in `message.failed`, if the service ends a send. [spec: Status events; operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelEvent } from '../../src/rules/events/built.ts';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import { newYear } from '../rules/samples.ts';
import { Turns, deferred, openMessage, settingsOf, unknown } from './support/turns.ts';
import type { Start } from './support/turns.ts';

const tooFast = { code: 131053, title: 'Too fast' };
const tryLater = { code: 131000, title: 'Try later' };
const openWithCode: UpstreamOutcome = { outcome: 'unknown', error: 'Try later', errorCode: 131000 };

/** Advances the time until the send has failed, and answers its calls meanwhile with these outcomes; returns the event's data. */
function failure(turns: Turns, outcomes: UpstreamOutcome[] = []): ChannelEvent['data'] {
  for (let alarms = 0; alarms < 50; alarms += 1) {
    turns.now = Math.max(turns.now, turns.state.wakeAt);
    for (const effect of turns.effects({ type: 'alarm' })) {
      if (effect.effect === 'commit' && effect.events[0] !== undefined) return effect.events[0].data;
      if (effect.effect === 'claim-and-call') called(turns, outcomes.shift() ?? unknown);
    }
  }
  throw new Error('it has not failed');
}

function called(turns: Turns, outcome: UpstreamOutcome): void {
  turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
  turns.answered('m-1', outcome);
}

function changeSettings(turns: Turns, change: Start): void {
  turns.tell({ type: 'settings-loaded', request: 1, settings: settingsOf(change), ask: null });
}

describe('deferred by upstream, then ended by the service', () => {
  test('its channel was deactivated', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred());
    changeSettings(turns, { channel: { isActive: false } });
    const error = 'The channel is inactive; connect it again to use it';
    expect(failure(turns)).toMatchObject({ error, errors: [tooFast] });
  });

  test('its licence ended', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred());
    changeSettings(turns, { subscription: { status: 'canceled' } });
    const error = "The channel's licence is not active (status: canceled)";
    expect(failure(turns)).toMatchObject({ error, errors: [tooFast] });
  });

  test('its licence no longer covers it', () => {
    const turns = new Turns();
    const content = { mediaType: 'image', url: 'https://files.example/cake.jpg' } as const;
    const media = { type: 'media', ...content, caption: null, filename: null } as const;
    turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: media });
    called(turns, deferred());
    changeSettings(turns, { subscription: { tier: 'starter' } });
    expect(failure(turns)).toMatchObject({ error: expect.stringContaining('pro'), errors: [tooFast] });
  });
});

test('the title is that of a status: without the code that upstream’s answer has before it', () => {
  const error = 'Upstream could not process the media (upstream: (#131053) Media upload error)';
  const outcome: UpstreamOutcome = { outcome: 'deferred', error, errorCode: 131053, pause: 'none' };
  const turns = new Turns().sent('m-1').answered('m-1', outcome);
  changeSettings(turns, { channel: { isActive: false } });
  expect(failure(turns)).toMatchObject({ errors: [{ code: 131053, title: 'Media upload error' }] });
});

test('the details of upstream’s answer stand beside the title', () => {
  const error = 'It is throttled (upstream: (#131053) Media upload error; details: image is not valid)';
  const outcome: UpstreamOutcome = { outcome: 'deferred', error, errorCode: 131053, pause: 'none' };
  const turns = new Turns().sent('m-1').answered('m-1', outcome);
  changeSettings(turns, { channel: { isActive: false } });
  expect(failure(turns)).toMatchObject({
    errors: [{ code: 131053, title: 'Media upload error', details: 'image is not valid' }],
  });
});

test('a deferral without a code of upstream is none of its errors', () => {
  const outcome: UpstreamOutcome = {
    outcome: 'deferred',
    error: 'No answer',
    errorCode: null,
    pause: 'none',
  };
  const turns = new Turns().sent('m-1').answered('m-1', outcome);
  changeSettings(turns, { channel: { isActive: false } });
  expect(failure(turns)).toMatchObject({ errors: [] });
});

describe('never confirmed', () => {
  test.each([
    ['an error that leaves it open, each time', openWithCode, openWithCode, [tryLater]],
    ['such an error, then nothing', openWithCode, unknown, [tryLater]],
    ['a deferral, then nothing', deferred(), unknown, [tooFast]],
    ['nothing', unknown, unknown, []],
  ])('%s', (_, first, second, errors) => {
    const turns = new Turns().sent('m-1').answered('m-1', first);
    const error = 'Upstream never confirmed the message; it may have arrived';
    expect(failure(turns, [second])).toMatchObject({ error, errors });
  });

  test('after calls of another node', () => {
    const call = { at: newYear, endedAt: newYear, outcome: 'unknown', traceId: null } as const;
    const calls = {
      1: { ...call, error: 'Try later', code: 131000 },
      2: { ...call, error: 'timeout', code: null },
    };
    const turns = new Turns({ open: [openMessage({ copies: 2, tries: 2, calls })] });
    expect(failure(turns)).toMatchObject({ errors: [tryLater] });
  });
});
