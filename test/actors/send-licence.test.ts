/** Files need `pro` at the request and at every claim. [operator-interface §4; faults: 52] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import { Turns, deferred, openMessage, settingsOf } from './support/turns.ts';

const file: Content = {
  type: 'media',
  mediaType: 'image',
  url: 'https://files.example/cake.jpg',
  caption: null,
  filename: null,
};

function downgrade(turns: Turns): string[] {
  const settings = settingsOf({ subscription: { tier: 'starter' } });
  return turns.tell({ type: 'settings-loaded', request: 1, settings, ask: null });
}

describe('a channel that may not send refuses with the reason', () => {
  const content: Content = { type: 'text', text: 'Hello' };
  const start = settingsOf();
  const canceled = settingsOf({ subscription: { status: 'canceled' } });

  test.each([
    ['it is gone', null, 'not_found', { what: 'Channel' }],
    ['nobody pays for it', { ...start, subscription: null }, 'licence_inactive', { status: 'none' }],
    ['its licence has ended', canceled, 'licence_inactive', { status: 'canceled' }],
  ])('%s', (_, settings, code, details) => {
    const turns = new Turns();
    turns.tell({ type: 'settings-loaded', request: 1, settings, ask: null });
    const sent = [content, file].map((each, n) =>
      turns.effects({ type: 'send', messageId: `m-${n}`, recipient: 'mia', content: each }, n),
    );
    expect(sent).toEqual([0, 1].map((ask) => [{ effect: 'refuse', asks: [ask], code, details }]));
  });
});

test('an inactive channel refuses as inactive, whatever its licence covers', () => {
  const turns = new Turns({ channel: { isActive: false }, subscription: { tier: 'starter' } });
  expect(turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: file })).toEqual([
    '✗ 1: channel_inactive',
  ]);
});

describe('a downgrade to starter', () => {
  test('refuses a requested file, but not a text', () => {
    const turns = new Turns({ subscription: { tier: 'starter' } });
    expect(turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: file })).toEqual([
      '✗ 1: tier_too_low',
    ]);
    expect(turns.send('m-2')).toEqual(['call m-2, copy 1']);
  });

  test('refuses a file that waits behind another send, and sends the text behind it', () => {
    const turns = new Turns().sent('m-1');
    turns.ask({ type: 'send', messageId: 'm-2', recipient: 'mia', content: file });
    turns.send('m-3');
    downgrade(turns);
    expect(turns.pass(2_000)).toEqual(['✗ 2: tier_too_low', 'call m-3, copy 1']);
  });

  test("refuses a file that waits for the end of upstream's pause, and postpones the text behind it", () => {
    const turns = new Turns().sent('m-1');
    turns.ask({ type: 'send', messageId: 'm-2', recipient: 'mia', content: file });
    turns.send('m-3');
    downgrade(turns);
    expect(turns.answer('m-1', deferred('pair', 131056))).toEqual([
      'record m-1:deferred → 1: queued',
      '✗ 2: tier_too_low',
      expect.stringMatching(/^postpone m-3 for/),
    ]);
  });

  test('refuses a file that waits too long for the pace, and postpones the text next to it', () => {
    const turns = new Turns();
    Object.assign(turns.state.sends, { gapMs: 1_000, nextCallAt: turns.now + 5_001 });
    turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: file });
    turns.send('m-2', 'noah');
    downgrade(turns);
    expect(turns.pass(5_000)).toEqual(['✗ 1: tier_too_low', 'postpone m-2 for 0 ms']);
  });

  test('refuses a file that waits too long for a free call as tier_too_low, and the text next to it as overloaded', () => {
    const turns = new Turns();
    turns.state.sends.calls = limits.calls;
    turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: file });
    turns.send('m-2', 'noah');
    downgrade(turns);
    expect(turns.pass(5_000)).toEqual(['✗ 1: tier_too_low', '✗ 2: overloaded']);
  });

  test('fails a queued file of which no copy can exist, at its next claim', () => {
    const turns = new Turns();
    turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content: file });
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', deferred());
    downgrade(turns);
    expect(turns.pass(1_000)).toEqual([
      "record message.failed m-1:failed(This operation needs the pro tier; the channel's licence is starter, null) mail:delivery-digest",
    ]);
  });

  test('prevents the second copy of a file whose first copy may exist', () => {
    const opened = { ...openMessage({ copies: 1, tries: 1 }), content: file };
    const turns = new Turns({ open: [opened], subscription: { tier: 'starter' } });
    expect(turns.pass(9 * 60_000)).toEqual([]);
  });
});
