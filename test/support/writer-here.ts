/**
 * The writer of an embedded store in the thread of its test: the same code behind the same messages. To start its thread takes more of the
 * processor than most tests of a feature; the tests of `stores/` and every service have the thread. An answer comes in a later millisecond
 * than its batch, as from a disk: ids that a test makes one after the other stay in order.
 */
import { MessageChannel } from 'node:worker_threads';
import { systemClock } from '../../src/kernel/clock.ts';
import { asError } from '../../src/kernel/faults.ts';
import type { ThreadReady } from '../../src/kernel/worker-thread.ts';
import type { StartWriter } from '../../src/storage/sqlite/index.ts';
import type { WriterAnswer } from '../../src/storage/sqlite/protocol.ts';
import type { Tables } from '../../src/storage/sqlite/tables.ts';
import { serveWriter } from '../../src/storage/sqlite/writer.ts';

export function writerHere(tables: Tables): StartWriter {
  return (settings, { onReady, onAnswer, onError, onExit }) => {
    const { port1: ours, port2: itsOwn } = new MessageChannel();
    ours.on('message', (message: ThreadReady | WriterAnswer) =>
      message.type === 'ready' ? onReady() : laterThan(systemClock.now(), () => onAnswer(message)),
    );
    ours.on('close', onExit);
    serveWriter(tables, settings, itsOwn).catch((error: unknown) => {
      onError(asError(error));
      itsOwn.close();
    });
    return ours;
  };
}

function laterThan(ms: number, then: () => void): void {
  if (systemClock.now() > ms) then();
  else setTimeout(() => laterThan(ms, then), 1);
}
