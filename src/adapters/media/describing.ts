/** The describing thread: it alone looks into bytes of strangers, and it is ended when that takes long. [faults: 101] */
import { portOfThread } from '../../kernel/worker-thread.ts';
import type { ThreadReady } from '../../kernel/worker-thread.ts';
import type { DescriberAnswer, Question } from './describing-thread.ts';
import { describe, loadParsers } from './description.ts';

const port = portOfThread();
const tell = (message: ThreadReady | DescriberAnswer) => port.postMessage(message);

// Before the first file: its time must not be spent on reading modules from the disk.
await loadParsers();
port.on('message', ({ type, beginning, size, said }: Question) => {
  // What this rejects with ends the thread, and the file goes as upstream said it.
  void describe(type, beginning, size, said).then((description) => tell({ type: 'answer', description }));
});
tell({ type: 'ready' });
