import { MessageChannel } from 'node:worker_threads';

const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Gives memory back at once that nobody reads any more: the collector leaves the blocks that sockets and files are read into until they
 * are 32 MB, so that one big file makes the process as much larger for good. What is moved to a closed port is freed there. A view of
 * a larger block is left alone: others may look at it.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0 || byteLength !== buffer.byteLength) return;
  nowhere.postMessage(null, [buffer]);
}
