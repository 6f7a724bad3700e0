/** [spec: Send error codes, 190] The channel stays active; its owner gets one mail that it has to be reconnected. */
import { expect, test } from '@jest/globals';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import { sealer } from '../upstream/support.ts';
import { Turns, settingsOf } from './support/turns.ts';

const expired: UpstreamOutcome = {
  outcome: 'refused',
  error: 'Expired',
  errorCode: 190,
  needsReconnect: true,
};
const unreachable: UpstreamOutcome = { outcome: 'refused', error: 'Not reachable', errorCode: 131026 };

const mailsAfter = (turns: Turns, messageId: string, outcome: UpstreamOutcome): number =>
  turns
    .sent(messageId, `to-${messageId}`)
    .answer(messageId, outcome)
    .filter((line) => line.includes('mail:reconnect')).length;

test('one mail for a token, however many sends fail with it; another for the next token', () => {
  const turns = new Turns();
  expect(['m-1', 'm-2', 'm-3'].map((id) => mailsAfter(turns, id, expired))).toEqual([1, 0, 0]);
  const token = sealer.sealText('EAAexampletoken-of-today', 'channel:channel-1:token');
  turns.tell({
    type: 'settings-loaded',
    request: 1,
    settings: settingsOf({ channel: { token } }),
    ask: null,
  });
  expect(['m-4', 'm-5'].map((id) => mailsAfter(turns, id, expired))).toEqual([1, 0]);
  expect(turns.state.settings?.channel.isActive).toBe(true);
});

test('no mail for an error that concerns one recipient only', () => {
  expect(mailsAfter(new Turns(), 'm-1', unreachable)).toBe(0);
});
