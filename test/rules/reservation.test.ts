import { expect, test } from '@jest/globals';
import { isOpenTo } from '../../src/rules/channels/reservation.ts';
import type { Holder } from '../../src/rules/channels/reservation.ts';
import { reservationOf } from './samples.ts';

const reservation = reservationOf({ channelId: 'channel-1' });
const reconnection = reservationOf({ channelId: 'channel-1', isReconnect: true });
const inactive: Holder = {
  id: 'channel-1',
  accountId: 'account-1',
  channelType: 'photoapp',
  isActive: false,
  connectedAt: 1,
};
const active = { ...inactive, isActive: true };
const other = { ...inactive, id: 'channel-2' };
const reserved = { ...other, connectedAt: null };

test.each([
  ['another reservation of the account', reservation, reserved, true],
  ["another account's reservation", reservation, { ...reserved, accountId: 'account-2' }, false],
  ['a reservation of another type', reservation, { ...reserved, channelType: 'pagechat' as const }, false],
  ['its channel while inactive', reservation, inactive, true],
  ['its channel while active', reservation, active, false],
  ['its channel while active, at a reconnection', reconnection, active, true],
  ['another channel, inactive', reservation, other, false],
  ['another channel, active, at a reconnection', reconnection, { ...other, isActive: true }, false],
])('a reservation and %s', (_, claim, holder, isOpen) => {
  expect(isOpenTo(claim, holder)).toBe(isOpen);
});
