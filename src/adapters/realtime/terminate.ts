import type { Socket } from 'socket.io';

/** Ends a connection at once: a peer that ignores the closing handshake would keep its socket for half a minute. */
export function terminate(conn: Socket['conn']): void {
  conn.close(true);
  if ('socket' in conn.transport && isTerminable(conn.transport.socket)) conn.transport.socket.terminate();
}

function isTerminable(value: unknown): value is { terminate(): void } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'terminate' in value &&
    typeof value.terminate === 'function'
  );
}
