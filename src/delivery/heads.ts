/** Guards the heads of a receiver's answers (interim ones and the final one) before undici parses them. */
import type { Socket } from 'node:net';

/** undici takes about 10 µs per header line, 25 µs beyond its own limit; no receiver needs this many. [faults: 55, I9] */
const maxLines = 2_000;
/**
 * For all heads of an answer together. undici's own limit counts names and values only, and it parses the rest of the chunk nevertheless.
 */
const maxBytes = 24_576;

const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20] as const;

/** Length of a status line up to its code: `HTTP/1.1 100`. */
const statusEnd = 12;
const isContinue = /^HTTP\/\d\.\d 100$/;
/** Anything else, also a blank line before the status line, is followed by another head, or undici refuses it. */
const isFinal = /^[A-Z]+\/\d\.\d [2-9]/;

/**
 * Changes what undici refuses and other clients read. undici skips every interim answer except `100 Continue`, which makes it close the
 * connection. A receiver or its proxy may send that unasked, so it is changed to 102 before undici reads it. A header over several lines
 * (nginx writes those of its configuration as they stand there) becomes one line, as RFC 9112 §5.2 demands. Heads that are too long close
 * the connection. [operator-interface §4: a receiver's answer; faults: 537]
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
  // A write is a request: the next bytes read are its answer.
  socket.write = (...given: unknown[]): boolean => {
    heads.begin();
    return Reflect.apply(write, socket, given);
  };
}

class Heads {
  /** False after the head of a final answer: the rest is body. */
  #isHead = true;
  #lines = 0;
  #bytes = 0;
  /** Bytes of the current line. */
  #lineBytes = 0;
  /** The beginning of the current head, up to its status code. */
  #start = '';

  begin(): void {
    this.#isHead = true;
    this.#lines = 0;
    this.#bytes = 0;
    this.#lineBytes = 0;
    this.#start = '';
  }

  /** Returns whether the heads are within the bounds so far. */
  take(chunk: Buffer): boolean {
    for (let from = 0; this.#isHead && from < chunk.length;) {
      const feed = chunk.indexOf(lineFeed, from);
      const end = feed === -1 ? chunk.length : feed;
      if (this.#start.length < statusEnd) this.#readStart(chunk, from, end);
      this.#lineBytes += end - from;
      this.#bytes += end - from;
      if (feed !== -1 && !this.#unfold(chunk, feed)) this.#endLine();
      if (this.#lines > maxLines || this.#bytes > maxBytes) return false;
      from = end + 1;
    }
    return true;
  }

  #readStart(chunk: Buffer, from: number, end: number): void {
    const known = this.#start.length;
    const upTo = Math.min(end, from + statusEnd - known);
    this.#start += chunk.toString('latin1', from, upTo);
    if (this.#start.length === statusEnd && isContinue.test(this.#start)) chunk[upTo - 1] = 0x32; // the digit 2: 100 becomes 102
  }

  /** Whether the line goes on behind its end. At the end of a chunk this cannot be seen: undici refuses such an answer. */
  #unfold(chunk: Buffer, feed: number): boolean {
    const next = chunk[feed + 1];
    if ((next !== blank && next !== tab) || this.#lineBytes <= 1) return false;
    if (chunk[feed - 1] === carriageReturn) chunk[feed - 1] = blank;
    chunk[feed] = blank;
    return true;
  }

  #endLine(): void {
    const isBlank = this.#lineBytes <= 1; // the carriage return alone
    this.#lines += 1;
    this.#lineBytes = 0;
    if (isBlank) this.#isHead = !isFinal.test(this.#start);
    if (isBlank) this.#start = '';
  }
}
