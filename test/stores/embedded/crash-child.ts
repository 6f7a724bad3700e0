/** Commits messages of one channel for ever, and prints the id of each as soon as the store has acknowledged it. */
import { openIn } from './open.ts';
import { aMessage } from '../conformance/samples.ts';

const [dataDir = '', channelId = ''] = process.argv.slice(2);
const store = await openIn(dataDir);

async function commitForever(): Promise<never> {
  for (;;) {
    const message = aMessage(channelId);
    const [result] = await store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
    if (result?.applied === true) process.stdout.write(`${message.id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, commitForever));
