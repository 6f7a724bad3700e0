/**
 * A connection of the driver whose commands end with it. After a write that the socket does not take at once, the driver (7.9) waits for
 * `drain` or `error`, and a socket that closes emits neither: not when it timed out because the server takes no more bytes, and not when
 * it was written to between being destroyed and saying so. Such a command never ended, its lane stood still, and the pool lacked
 * a connection for good. [faults: 433, 434]
 */
import type { Socket } from 'node:net';

/** The class that the driver's option `connectionType` takes, which its own pool and monitors heed. */
export async function makeConnectionType(): Promise<new (socket: Socket, options: object) => object> {
  const { Connection } = await import('mongodb/lib/cmap/connection.js');
  return class EndingConnection extends Connection {
    constructor(socket: Socket, options: object) {
      super(socket, options);
      // The driver's own listener comes first and notes why; the write that this wakes throws that.
      socket.on('close', () => socket.emit('drain'));
    }
  };
}
