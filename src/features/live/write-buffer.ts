import type { Socket } from 'socket.io';
import { mib } from '../../kernel/bytes.ts';

/**
 * Bytes sent on a connection and not yet written to its socket. engine.io and then its transport buffer them without a limit. The answer to
 * a poll counts as written here once the transport has it; the HTTP server limits unread answers. [faults: 184]
 */
export class WriteBuffer {
  /** Bytes that engine.io buffers until its transport is free. */
  #waiting = 0;
  /** Bytes that the transport is writing. */
  #inHand = 0;
  readonly #changed: (bytes: number) => void;
  #resolves: (() => void)[] = [];

  constructor(conn: Socket['conn'], changed: (bytes: number) => void) {
    this.#changed = changed;
    conn.on('packetCreate', ({ data }) => {
      if (typeof data !== 'string') return;
      // Part of them may be written by now.
      const inHand = Math.min(this.#inHand, bytesInHand(conn.transport));
      this.#note(this.#waiting + Buffer.byteLength(data), inHand);
    });
    conn.on('flush', () => {
      this.#inHand += this.#waiting;
      this.#waiting = 0;
    });
    // The transport's drain, because the connection's comes when the transport takes the bytes.
    const written = (): void => this.#note(this.#waiting, 0);
    conn.transport.on('drain', written);
    conn.on('upgrade', (transport) => transport.on('drain', written));
    conn.once('close', () => this.#note(0, 0));
  }

  /** Resolves when everything is written or the connection is closed. */
  drained(): Promise<void> {
    if (this.#waiting + this.#inHand === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#resolves.push(resolve));
  }

  #note(waiting: number, inHand: number): void {
    this.#waiting = waiting;
    this.#inHand = inHand;
    this.#changed(waiting + inHand);
    if (waiting + inHand > 0) return;
    for (const resolve of this.#resolves.splice(0)) resolve();
  }
}

function bytesInHand(transport: object): number {
  if (!('socket' in transport)) return 0;
  const { socket } = transport;
  if (typeof socket !== 'object' || socket === null || !('bufferedAmount' in socket)) return 0;
  return typeof socket.bufferedAmount === 'number' ? socket.bufferedAmount : 0;
}

/** A burst of 10,000 receipts is about 4 MB. */
const defaultBounds = { ofReader: 4 * mib, inAll: 64 * mib };

interface Account<C> {
  readers: Map<C, number>;
  bytes: number;
}

/**
 * Limits the unread bytes of this node's readers. A reader with too many is disconnected. Beyond the node's limit the account with most
 * unread bytes loses the reader with most of them, so that slow readers do not cost others their connection. [faults: 185, I11]
 */
export class WriteBufferLimits<C> {
  readonly #accounts = new Map<string, Account<C>>();
  readonly #end: (reader: C) => void;
  readonly #bounds: typeof defaultBounds;
  #bytes = 0;

  /** `end`: closes the connection of a reader over a limit. */
  constructor(end: (reader: C) => void, bounds = defaultBounds) {
    this.#end = end;
    this.#bounds = bounds;
  }

  /** Records the reader's unread bytes. */
  note(accountId: string, reader: C, bytes: number): void {
    const account = this.#set(accountId, reader, bytes);
    if (bytes > this.#bounds.ofReader) this.#endReader(accountId, reader);
    while (this.#bytes > this.#bounds.inAll) {
      const [most, { readers }] = this.#accountWithMost(accountId, account);
      const [first = reader] = [...readers.keys()].toSorted(
        (a, b) => (readers.get(b) ?? 0) - (readers.get(a) ?? 0),
      );
      this.#endReader(most, first);
    }
  }

  #set(accountId: string, reader: C, bytes: number): Account<C> {
    const account = this.#accounts.get(accountId) ?? { readers: new Map<C, number>(), bytes: 0 };
    const more = bytes - (account.readers.get(reader) ?? 0);
    account.bytes += more;
    this.#bytes += more;
    if (bytes > 0) account.readers.set(reader, bytes);
    else account.readers.delete(reader);
    if (account.bytes > 0) this.#accounts.set(accountId, account);
    else this.#accounts.delete(accountId);
    return account;
  }

  #endReader(accountId: string, reader: C): void {
    this.#set(accountId, reader, 0);
    this.#end(reader);
  }

  #accountWithMost(...first: [string, Account<C>]): [string, Account<C>] {
    let most = first;
    for (const each of this.#accounts) if (each[1].bytes > most[1].bytes) most = each;
    return most;
  }
}
