import { MessageChannel } from 'node:worker_threads';

const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees memory at once that nobody reads any more: the garbage collector lets the buffers of sockets and files grow to 32 MB before it
 * frees them, so that one big file makes the process that much larger for good. A buffer transferred to a closed port is freed there. A
 * view of a larger buffer is left alone, because others may use that buffer.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0 || byteLength !== buffer.byteLength) return;
  try {
    nowhere.postMessage(null, [buffer]);
  } catch {
    // Its owner does not let it go: the garbage collector frees it. Runs in callbacks of sockets. [faults: 335]
  }
}
