import { expect, test } from '@jest/globals';
import { moveDelivery } from '../../actors/channel/deliveries/state.ts';
import { moveSend } from '../../actors/channel/sends/state.ts';
import type { SendStage } from '../../actors/channel/sends/state.ts';

/** [actors/README.md, the diagram] */
test('a step that the diagram draws changes the stage', () => {
  const send: { stage: SendStage } = { stage: 'waiting' };
  moveSend(send, 'claiming');
  moveSend(send, 'calling');
  moveSend(send, 'unconfirmed');
  moveSend(send, 'claiming');
  expect(send.stage).toBe('claiming');
});

test.each<[SendStage, SendStage]>([
  ['waiting', 'calling'],
  ['calling', 'claiming'],
  ['accepted', 'deferred'],
  ['failed', 'claiming'],
  ['withdrawing', 'calling'],
])('a send never goes from %s to %s', (from, to) => {
  const send = { stage: from };
  expect(() => moveSend(send, to)).toThrow(`a send does not go from ${from} to ${to}`);
  expect(send.stage).toBe(from);
});

test('a delivery whose outcome is being stored is not posted again', () => {
  expect(() => moveDelivery({ stage: 'recording' }, 'posting')).toThrow('recording to posting');
});
