/**
 * `JSON.parse` in steps: 3 MB of small values would block the event loop for 100 ms or more. Large objects and lists are split into their
 * members, so that each call of `JSON.parse` gets little text. [faults: I9, 94]
 */

/** Takes a few ms to parse. */
const charsPerPiece = 64 * 1024;
/** Takes about a millisecond to scan for commas. */
const membersPerStep = 10_000;

/** Returns what `JSON.parse` returns and throws SyntaxError where it throws. */
export function* parseJson(text: string, piece = charsPerPiece): Generator<void, unknown> {
  if (text.length <= piece) return JSON.parse(text);
  return yield* new Pieces(text, piece).value(0, text.length);
}

interface Span {
  from: number;
  to: number;
}

class Pieces {
  readonly #text: string;
  readonly #piece: number;

  constructor(text: string, piece: number) {
    this.#text = text;
    this.#piece = piece;
  }

  *value(from: number, to: number): Generator<void, unknown> {
    const start = this.#afterSpace(from);
    const open = this.#text[start];
    if (to - from <= this.#piece || (open !== '{' && open !== '[')) {
      yield;
      return JSON.parse(this.#text.slice(from, to));
    }
    const members = yield* this.#membersOf(start, to);
    yield;
    return open === '[' ? yield* this.#list(members) : yield* this.#record(members);
  }

  *#list(members: readonly Span[]): Generator<void, unknown[]> {
    const list: unknown[] = [];
    for (const { from, to } of this.#grouped(members)) {
      if (to - from > this.#piece) list.push(yield* this.value(from, to));
      else for (const value of JSON.parse(`[${this.#text.slice(from, to)}]`)) list.push(value);
      yield;
    }
    return list;
  }

  *#record(members: readonly Span[]): Generator<void, object> {
    const record: Record<string, unknown> = {};
    for (const { from, to } of this.#grouped(members)) {
      if (to - from > this.#piece) {
        const colon = this.#colonAfter(from);
        set(record, JSON.parse(this.#text.slice(from, colon)), yield* this.value(colon + 1, to));
      } else {
        const some: object = JSON.parse(`{${this.#text.slice(from, to)}}`);
        for (const [key, value] of Object.entries(some)) set(record, key, value);
      }
      yield;
    }
    return record;
  }

  /** Groups neighbours that one `JSON.parse` may take; a larger member is a group of its own. */
  *#grouped(members: readonly Span[]): Iterable<Span> {
    let group: Span | null = null;
    for (const { from, to } of members) {
      if (members.length > 1 && this.#afterSpace(from) >= to) throw new SyntaxError('nothing between commas');
      if (group !== null && to - group.from <= this.#piece) {
        group.to = to;
        continue;
      }
      if (group !== null) yield group;
      group = { from, to };
    }
    if (group !== null) yield group;
  }

  /** The spans between the commas of the list or object that opens at `start` and ends at `end`. */
  *#membersOf(start: number, end: number): Generator<void, Span[]> {
    const text = this.#text;
    const close = text[start] === '[' ? ']' : '}';
    const members: Span[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = from; at < end; at += 1) {
      const character = text[at];
      if (character === '"') at = this.#stringEnd(at);
      else if (character === '[' || character === '{') depth += 1;
      else if ((character === ']' || character === '}') && depth > 0) depth -= 1;
      else if (character === ',' && depth === 0) {
        members.push({ from, to: at });
        from = at + 1;
        if (members.length % membersPerStep === 0) yield;
      } else if (character === close) {
        if (this.#afterSpace(at + 1) < end) break;
        if (members.length > 0 || this.#afterSpace(from) < at) members.push({ from, to: at });
        return members;
      } else if (character === ']' || character === '}') break;
    }
    throw new SyntaxError('it does not end where it should');
  }

  /** Index of the closing quote of the string that opens at `at`. */
  #stringEnd(at: number): number {
    for (let end = at + 1; end < this.#text.length; end += 1) {
      const character = this.#text[end];
      if (character === '\\') end += 1;
      else if (character === '"') return end;
    }
    throw new SyntaxError('a string does not end');
  }

  #colonAfter(from: number): number {
    const key = this.#afterSpace(from);
    if (this.#text[key] !== '"') throw new SyntaxError('a member has no name');
    const colon = this.#afterSpace(this.#stringEnd(key) + 1);
    if (this.#text[colon] !== ':') throw new SyntaxError('a name has no value');
    return colon;
  }

  #afterSpace(from: number): number {
    let at = from;
    while (isSpace(this.#text.charCodeAt(at))) at += 1;
    return at;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** As in `JSON.parse`, a member named `__proto__` becomes an own property. */
function set(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}
