/** The heads of a receiver's answers, as bytes before undici parses them: interim ones, then the one that counts. */
import type { Socket } from 'node:net';

/** undici takes some 10 µs for each, 25 once its own limit is passed; no receiver has use for so many. [faults: 55, I9] */
const maxLines = 2_000;
/** Of all heads of an answer. undici's own bound is of names and values: what follows it in the same chunk is parsed all the same. */
const maxBytes = 24_576;

const lineFeed = 0x0a;

/** As far as a status goes: `HTTP/1.1 100`. */
const statusEnd = 12;
const isContinue = /^HTTP\/\d\.\d 100$/;
/** Whatever else stands there, a blank line before a status too, is followed by another head or refused. */
const isFinal = /^[A-Z]+\/\d\.\d [2-9]/;

/**
 * undici passes over every interim answer but `100 Continue`, for which it ends the connection. A receiver, or a proxy before it,
 * may say so unasked: it is made a 102 before undici reads it. An answer whose heads are too long ends the connection.
 * [operator-interface §4: a receiver's answer]
 */
export function guardHeads(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  const heads = new Heads();
  socket.read = (size) => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk) || heads.take(chunk)) return chunk;
    socket.destroy(
      Object.assign(new Error('the head of the answer is too long'), { code: 'UND_ERR_HEADERS_OVERFLOW' }),
    );
    return null;
  };
  // What is written is a request: the next bytes are its answer.
  socket.write = (...given: unknown[]): boolean => {
    heads.begin();
    return Reflect.apply(write, socket, given);
  };
}

class Heads {
  /** What follows the head of a final answer is body. */
  #isHead = true;
  #lines = 0;
  #bytes = 0;
  /** Bytes of the line that is under way. */
  #lineBytes = 0;
  /** How this head begins, up to its status. */
  #start = '';

  begin(): void {
    this.#isHead = true;
    this.#lines = 0;
    this.#bytes = 0;
    this.#lineBytes = 0;
    this.#start = '';
  }

  /** Whether there is little enough so far. */
  take(chunk: Buffer): boolean {
    for (let from = 0; this.#isHead && from < chunk.length;) {
      const feed = chunk.indexOf(lineFeed, from);
      const end = feed === -1 ? chunk.length : feed;
      if (this.#start.length < statusEnd) this.#readStart(chunk, from, end);
      this.#lineBytes += end - from;
      this.#bytes += end - from;
      if (feed !== -1) this.#endLine();
      if (this.#lines > maxLines || this.#bytes > maxBytes) return false;
      from = end + 1;
    }
    return true;
  }

  #readStart(chunk: Buffer, from: number, end: number): void {
    const known = this.#start.length;
    const upTo = Math.min(end, from + statusEnd - known);
    this.#start += chunk.toString('latin1', from, upTo);
    if (this.#start.length === statusEnd && isContinue.test(this.#start)) chunk[upTo - 1] = 0x32; // 2
  }

  #endLine(): void {
    const isBlank = this.#lineBytes <= 1; // its carriage return
    this.#lines += 1;
    this.#lineBytes = 0;
    if (isBlank) this.#isHead = !isFinal.test(this.#start);
    if (isBlank) this.#start = '';
  }
}
