/** The describing thread: only it parses foreign bytes, and it is terminated when that takes too long. [faults: 101] */
import { portOfThread } from '../kernel/worker-thread.ts';
import type { ThreadReady } from '../kernel/worker-thread.ts';
import type { DescriberAnswer, Question } from './describing-thread.ts';
import { describe, loadParsers } from './description.ts';

const port = portOfThread();
const send = (message: ThreadReady | DescriberAnswer) => port.postMessage(message);

// Loaded before the first file, whose 100 ms must not be spent on reading modules.
await loadParsers();
port.on('message', ({ type, beginning, size, said }: Question) => {
  // A rejection ends the thread, and the file gets upstream's content type.
  void describe(type, beginning, size, said).then((description) => send({ type: 'answer', description }));
});
send({ type: 'ready' });
