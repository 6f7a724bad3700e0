/** The part of MongoDB's wire protocol that the bridge reads: message boundaries, commands and replies of OP_MSG. */
import { BSON } from 'mongodb';
import type { Document } from 'mongodb';

const headerBytes = 16;
const opMsg = 2013;
/** Offset of the first section: it follows the header and the flags. */
const firstSection = headerBytes + 4;

/** Splits a stream into messages. */
export class Messages {
  #held: Buffer = Buffer.alloc(0);

  /** Adds a chunk; yields the messages that are complete. */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held.length >= headerBytes) {
      const length = this.#held.readInt32LE(0);
      if (this.#held.length < length) return;
      const message = this.#held.subarray(0, length);
      this.#held = this.#held.subarray(length);
      yield message;
    }
  }
}

export function requestIdOf(message: Buffer): number {
  return message.readInt32LE(4);
}

export function answeredBy(message: Buffer): number {
  return message.readInt32LE(8);
}

/** The name of a command, which is the first key of its document; null if the message is no OP_MSG command. */
export function commandName(message: Buffer): string | null {
  const isCommand = message.readInt32LE(12) === opMsg && message[firstSection] === 0;
  const name = firstSection + 6; // the kind, the document's length, the key's type
  return isCommand ? message.toString('latin1', name, message.indexOf(0, name)) : null;
}

/** Options of the BSON parser that keep every value's type: no number changes its type between parsing and writing. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/** The body document of a message; each document sequence that follows is a member that holds a list. */
export function readBody(message: Buffer): Document {
  const body: Document = {};
  for (let at = firstSection; at < message.length;) {
    const start = at + 1;
    const size = message.readInt32LE(start);
    if (message[at] === 0)
      Object.assign(body, BSON.deserialize(message.subarray(start, start + size), exact));
    else {
      const nameEnd = message.indexOf(0, start + 4);
      const name = message.toString('latin1', start + 4, nameEnd);
      body[name] = [...documentsIn(message.subarray(nameEnd + 1, start + size))];
    }
    at = start + size;
  }
  return body;
}

function* documentsIn(bytes: Buffer): Generator<Document> {
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    yield BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), exact);
}

export function writeMessage(requestId: number, answers: number, body: Document): Buffer {
  const bytes = BSON.serialize(body, { ignoreUndefined: true });
  const head = Buffer.alloc(firstSection + 1);
  head.writeInt32LE(head.length + bytes.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(answers, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, bytes]);
}
