import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import { applied, putMessages, refused } from './channel-state.ts';
import { known } from './message-reads.ts';
import { aMessage } from './samples.ts';
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

export function describeSends(name: string, open: Open): void {
  describe(`${name}: sends whose owner vanished [architecture §5]`, () => {
    const store = withStore(open);

    test('an id nobody has is taken for good: the owner that comes later does not get it', async () => {
      const { channelState, stores } = store.current;
      const message = aMessage(newId());
      const marker = markerOf(message);

      const settled = await stores.sends.abandonUnlessInserted(marker);
      const late = await channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);

      expect(settled).toEqual({ state: 'abandoned', error: null, errorCode: null });
      expect(late).toEqual([refused]);
      expect(await stores.sends.abandonUnlessInserted({ ...marker, createdAt: 1 })).toEqual(settled);
      expect((await known(store.current, message))?.state).toBe('abandoned');
    });

    test.each([
      { state: 'sending', error: null, errorCode: null },
      { state: 'queued', error: 'Too many messages to this person', errorCode: 131056 },
      { state: 'sent', error: null, errorCode: null },
      { state: 'failed', error: 'Window closed', errorCode: 131047 },
      { state: 'failed', error: null, errorCode: null },
    ] as const)('what the owner has written stands: %j', async (standing) => {
      const message = aMessage(newId(), standing);
      await putMessages(store.current, message);

      expect(await store.current.stores.sends.abandonUnlessInserted(markerOf(message))).toEqual(standing);
      expect((await known(store.current, message))?.state).toBe(standing.state);
    });

    test('raced by its owner, the id has one winner and all learn the same', async () => {
      const { channelState, stores } = store.current;
      for (let round = 0; round < 20; round += 1) {
        const message = aMessage(newId());
        const claim = () => channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);
        const settle = async () => (await stores.sends.abandonUnlessInserted(markerOf(message))).state;
        const [one, [claimed], two] = await Promise.all([settle(), claim(), settle()]);

        expect([one, two]).toEqual(
          claimed?.applied === true ? ['sending', 'sending'] : ['abandoned', 'abandoned'],
        );
        expect(claimed).toEqual(one === 'sending' ? applied : refused);
      }
    });
  });
}
