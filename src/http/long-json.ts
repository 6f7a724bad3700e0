import type { ServerResponse } from 'node:http';
import { yieldToLoop } from '../kernel/yield-to-loop.ts';
import { sendBytes, sendJson } from './answers.ts';
import { Listed } from './listed.ts';

/** Some ms of writing JSON; a longer list is written so many at a time. [faults: I9] */
const itemsPerTurn = 250;

/** As `sendJson`, for answers that may hold a list of ten thousand: others are served while it is written. */
export async function sendLists(
  response: ServerResponse,
  status: number,
  body: unknown,
  requestId: string,
): Promise<void> {
  if (!hasLongList(body)) return sendJson(response, status, body, [], requestId);
  const pieces: Buffer[] = [];
  for await (const piece of splitIntoPieces(body)) pieces.push(Buffer.from(piece));
  sendBytes(response, status, pieces, requestId);
}

function hasLongList(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return Object.values(body).some((member) => isList(member) && member.length > itemsPerTurn);
}

function isList(member: unknown): member is readonly unknown[] | Listed<unknown> {
  return Array.isArray(member) || member instanceof Listed;
}

/** What `JSON.stringify` writes of a record. */
async function* splitIntoPieces(body: Record<string, unknown>): AsyncIterable<string> {
  let open = '{';
  for (const [name, member] of Object.entries(body)) {
    if (member === undefined) continue;
    yield `${open}${JSON.stringify(name)}:`;
    if (isList(member)) yield* listPieces(member);
    else yield JSON.stringify(member);
    open = ',';
  }
  yield open === '{' ? '{}' : '}';
}

async function* listPieces(list: readonly unknown[] | Listed<unknown>): AsyncIterable<string> {
  if (list.length <= itemsPerTurn) {
    yield JSON.stringify(list);
    return;
  }
  for (let from = 0; from < list.length; from += itemsPerTurn) {
    const some = JSON.stringify(list.slice(from, from + itemsPerTurn));
    yield `${from === 0 ? '[' : ','}${some.slice(1, -1)}`;
    await yieldToLoop();
  }
  yield ']';
}
