import type { ServerResponse } from 'node:http';

/**
 * Ends the connection of an answer that its client does not read, by a reset. After a close, the kernel would keep what it holds of the
 * answer and offer it to the client for minutes: 70 KB of each connection, up to some MB. [faults: 600]
 */
export function cutOff(response: ServerResponse): void {
  const { socket } = response;
  // With nothing left to write a close may be under way, and Node loses a socket that is reset then.
  if (socket !== null && socket.writableLength > 0) socket.resetAndDestroy();
  else response.destroy();
}
