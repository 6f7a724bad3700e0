/** A TCP proxy in front of a MongoDB server that changes what the server says of itself: its version, its time. */
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { listening } from './ports.ts';

export interface EditedReplies {
  port: number;
  close(): void;
}

/** `edit` changes the bytes of a reply in place. A reply in which a server says something of itself comes in one piece. */
export async function editingReplies(target: number, edit: (reply: Buffer) => void): Promise<EditedReplies> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: '127.0.0.1' });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (reply) => {
      edit(reply);
      client.write(reply);
    });
  });
  return {
    port: await listening(server),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The place of a member's value in a BSON document; null: it has no such member. */
function placeOf(reply: Buffer, type: string, member: string): number | null {
  const name = Buffer.from(`${type}${member}\0`, 'latin1');
  const at = reply.indexOf(name);
  return at === -1 ? null : at + name.length;
}

export const sayWireVersion =
  (version: number) =>
  (reply: Buffer): void => {
    const at = placeOf(reply, '\x10', 'maxWireVersion');
    if (at !== null) reply.writeInt32LE(version, at);
  };

/** `aheadMs`: of the server's clock. */
export const sayTime =
  (aheadMs: () => number) =>
  (reply: Buffer): void => {
    const at = placeOf(reply, '\x09', 'localTime');
    if (at !== null) reply.writeBigInt64LE(reply.readBigInt64LE(at) + BigInt(aheadMs()), at);
  };
