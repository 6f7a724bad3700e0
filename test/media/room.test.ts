/** [faults: 293] The bounds of a channel's and of an account's files hold for files that arrive at once. */
import { expect, test } from '@jest/globals';
import { FileRoom } from '../../src/media/room.ts';
import { FakeClock } from '../support/fake-clock.ts';

const limits = { perChannelBytes: 100, perAccountBytes: 150, reserveBytes: 0 };
const store = {
  bytesOf: async () => ({ channel: 10, account: 10 }),
  freeBytes: async () => null,
};
const newRoom = () => new FileRoom(store, limits, new FakeClock());
const of = (channelId: string) => ({ channelId, accountId: 'account' });

const outcomes = (entering: Promise<unknown>[]) =>
  Promise.allSettled(entering).then((all) => all.map(({ status }) => status === 'fulfilled'));

test('of two files of a channel that begin at once, one that has no room beside the other gets none', async () => {
  const room = newRoom();
  expect(await outcomes([room.enter(of('one'), 50), room.enter(of('one'), 50)])).toEqual([true, false]);
});

test('nor one of an account', async () => {
  const room = newRoom();
  const places = ['one', 'two', 'three'].map((id) => room.enter(of(id), 60));
  expect(await outcomes(places)).toEqual([true, true, false]);
});

test('of two files that say no length, one that outgrows the rest is given up', async () => {
  const room = newRoom();
  const [first, second] = await Promise.all([room.enter(of('one'), 0), room.enter(of('one'), 0)]);
  await first.grow(0, 60);
  await second.grow(0, 30);
  await expect(first.grow(0, 61)).rejects.toMatchObject({ why: 'quota' });
  await second.leave();
  await first.grow(0, 90);
});
