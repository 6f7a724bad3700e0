import type { ServerResponse } from 'node:http';
import { yieldToLoop } from '../kernel/clock.ts';
import { sendBytes, sendJson } from './answers.ts';

/**
 * A list in an answer. Items are converted only when they are serialized, so that ten thousand are not converted in one turn of the event
 * loop.
 */
export class LazyList<T> {
  readonly #items: readonly T[];
  readonly #view: (item: T) => unknown;

  constructor(items: readonly T[], view: (item: T) => unknown) {
    this.#items = items;
    this.#view = view;
  }

  get length(): number {
    return this.#items.length;
  }

  slice(from: number, to: number): unknown[] {
    return this.#items.slice(from, to).map(this.#view);
  }

  /** Converts the whole list, for `JSON.stringify`. */
  toJSON(): unknown[] {
    return this.#items.map(this.#view);
  }
}

/** Items serialized per turn of the event loop, some ms of work. [faults: I9] */
const itemsPerTurn = 250;

/** Like `sendJson`, for answers that may hold a list of ten thousand items: other requests are served while it is serialized. */
export async function sendLists(response: ServerResponse, status: number, body: unknown): Promise<void> {
  if (!hasLongList(body)) return sendJson(response, status, body);
  const pieces: Buffer[] = [];
  for await (const piece of splitIntoPieces(body)) pieces.push(piece);
  sendBytes(response, status, pieces);
}

function hasLongList(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return Object.values(body).some((member) => isList(member) && member.length > itemsPerTurn);
}

function isList(member: unknown): member is readonly unknown[] | LazyList<unknown> {
  return Array.isArray(member) || member instanceof LazyList;
}

/** Yields in pieces what `JSON.stringify` returns for the record. */
async function* splitIntoPieces(body: Record<string, unknown>): AsyncIterable<Buffer> {
  let open = '{';
  for (const [name, member] of Object.entries(body)) {
    if (member === undefined) continue;
    yield Buffer.from(`${open}${JSON.stringify(name)}:`);
    if (isList(member)) yield* listPieces(member);
    else yield Buffer.from(JSON.stringify(member));
    open = ',';
  }
  yield Buffer.from(open === '{' ? '{}' : '}');
}

const comma = 0x2c;

async function* listPieces(list: readonly unknown[] | LazyList<unknown>): AsyncIterable<Buffer> {
  if (list.length <= itemsPerTurn) {
    yield Buffer.from(JSON.stringify(list));
    return;
  }
  for (let from = 0; from < list.length; from += itemsPerTurn) {
    // `[` and `]` are one byte each in UTF-8: they are replaced here without touching an item.
    const some = Buffer.from(JSON.stringify(list.slice(from, from + itemsPerTurn)));
    if (from > 0) some[0] = comma;
    yield some.subarray(0, -1);
    await yieldToLoop();
  }
  yield Buffer.from(']');
}
