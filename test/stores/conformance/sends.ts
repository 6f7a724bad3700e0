import { describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { applied, putMessages, refused } from './channel-state.ts';
import { known } from './message-reads.ts';
import { aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

const markerOf = (message: OutboundMessage): OutboundMessage => ({
  ...message,
  state: 'abandoned',
  content: null,
  copies: 0,
  tries: 0,
  epoch: 0,
});

const leftFor = (message: OutboundMessage): OutboundMessage => ({
  ...message,
  state: 'queued',
  copies: 0,
  tries: 0,
  epoch: 0,
  nextTryAt: message.createdAt,
});

export function describeSends(name: string, open: Open): void {
  describe(`${name}: sends whose owner vanished [architecture §5]`, () => {
    const store = withStore(open);

    test('a message is found by the id that upstream gave it, on these channels alone', async () => {
      const upstreamId = `wamid.${newId()}`;
      const message = aMessage(newId(), { upstreamIds: [upstreamId] });
      await putMessages(store.current, message);
      const { sends } = store.current.stores;
      const found = { channelId: message.channelId, messageId: message.id };
      expect(await sends.byUpstreamId([newId(), message.channelId], upstreamId)).toEqual(found);
      expect(await sends.byUpstreamId([message.channelId], `${upstreamId}.`)).toBeNull();
      expect(await sends.byUpstreamId([newId()], upstreamId)).toBeNull();
      expect(await sends.byUpstreamId([], upstreamId)).toBeNull();
    });

    test('an unused id is reserved permanently: an owner that comes later does not get it', async () => {
      const { channelState, stores } = store.current;
      const message = aMessage(newId());
      const marker = markerOf(message);

      const settled = await stores.sends.insertUnlessTaken(marker);
      const late = await channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);

      expect(settled).toEqual({ state: 'abandoned', error: null, errorCode: null });
      expect(late).toEqual([refused]);
      expect(await stores.sends.insertUnlessTaken({ ...marker, createdAt: 1 })).toEqual(settled);
      expect((await known(store.current, message))?.state).toBe('abandoned');
    });

    test('a send that is left for the next owner is found by its sweep, and read after what owners have left', async () => {
      const { channelState, stores } = store.current;
      const channelId = newId();
      const at = noon + 1_000;
      const [first, second] = [at, at + 1].map((createdAt) => leftFor(aMessage(channelId, { createdAt })));
      const before = aMessage(channelId, { attemptedAt: at });
      await putMessages(store.current, before);
      for (const message of [first, second])
        expect((await stores.sends.insertUnlessTaken(message!)).state).toBe('queued');
      expect(await stores.dueWork.channelsWithUntakenSends(100_000)).toContain(channelId);

      const { openMessages } = await channelState.load(channelId, 7, at, 10);
      expect(openMessages.map(({ id, epoch }) => [id, epoch])).toEqual(
        [before, first, second].map((message) => [message?.id, 7]),
      );
      expect(openMessages[1]).toMatchObject({
        state: 'queued',
        tries: 0,
        nextTryAt: at,
        content: first?.content,
      });
      expect(await stores.dueWork.channelsWithUntakenSends(100_000)).not.toContain(channelId);
    });

    test('an id that is left for the next owner cannot be taken by a previous owner, which finds it queued', async () => {
      const { channelState, stores } = store.current;
      const message = aMessage(newId());
      await stores.sends.insertUnlessTaken(leftFor(message));
      const late = await channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);
      expect(late).toEqual([refused]);
      expect((await known(store.current, message))?.state).toBe('queued');
      const claim = { write: 'claimCopy', messageId: message.id, expect: { copies: 0, tries: 0 } } as const;
      const at = { attemptedAt: noon };
      expect(await channelState.commit(message.channelId, 2, [{ ...claim, ...at }])).toEqual([applied]);
      await expect(channelState.commit(message.channelId, 1, [{ ...claim, ...at }])).rejects.toThrow(
        FencedError,
      );
    });

    test.each([
      { state: 'sending', error: null, errorCode: null },
      { state: 'queued', error: 'Too many messages to this person', errorCode: 131056 },
      { state: 'sent', error: null, errorCode: null },
      { state: 'failed', error: 'Window closed', errorCode: 131047 },
      { state: 'failed', error: null, errorCode: null },
    ] as const)('what the owner has written is kept: %j', async (standing) => {
      const message = aMessage(newId(), standing);
      await putMessages(store.current, message);

      expect(await store.current.stores.sends.insertUnlessTaken(markerOf(message))).toEqual(standing);
      expect((await known(store.current, message))?.state).toBe(standing.state);
    });

    test('raced by its owner, the id has one winner, and all get the same answer', async () => {
      const { channelState, stores } = store.current;
      for (let round = 0; round < 20; round += 1) {
        const message = aMessage(newId());
        const claim = () => channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);
        const settle = async () => (await stores.sends.insertUnlessTaken(markerOf(message))).state;
        const [one, [claimed], two] = await Promise.all([settle(), claim(), settle()]);

        expect([one, two]).toEqual(
          claimed?.applied === true ? ['sending', 'sending'] : ['abandoned', 'abandoned'],
        );
        expect(claimed).toEqual(one === 'sending' ? applied : refused);
      }
    });
  });
}
