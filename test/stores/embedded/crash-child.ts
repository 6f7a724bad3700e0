/** Commits messages of one channel for ever, with a text of this length, and prints the id of each as soon as the store has acknowledged it. */
import { openIn } from './open.ts';
import { aMessage, sealedBytes } from '../conformance/samples.ts';

const [dataDir = '', channelId = '', length = '5'] = process.argv.slice(2);
const content = sealedBytes('x'.repeat(Number(length)));
const store = await openIn(dataDir);

async function commitForever(): Promise<never> {
  for (;;) {
    const message = aMessage(channelId, { content });
    const [result] = await store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
    if (result?.applied === true) process.stdout.write(`${message.id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, commitForever));
