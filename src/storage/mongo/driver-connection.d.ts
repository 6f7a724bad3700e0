/** The part of the driver's own connection that `ending-connection.ts` uses; the driver publishes no types of it. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    constructor(socket: Socket, options: object);
  }
}
