/**
 * A proxy between the driver and the stand-in server of `mongo-server.ts` that corrects two differences between the stand-in and
 * MongoDB on the wire, so that no other code needs to know them:
 *
 * - In the stand-in, a value that an insert put into a unique index stays taken after an update has removed it; a value that an update
 *   put there does not. The bridge therefore inserts each document with random values in its unique members, then updates it.
 * - Of concurrent upserts that would insert one document, the stand-in applies each later `findAndModify` but answers it null. The
 *   bridge therefore runs upserts of one document one after another.
 *
 * Where the stand-in reports its own address, the bridge replaces the port by its own.
 */
import net from 'node:net';
import type { Document } from 'mongodb';
import { insertInSteps } from './mongo-insert.ts';
import type { Insert } from './mongo-insert.ts';
import { Messages, answeredBy, commandName, readBody, requestIdOf, writeMessage } from './mongo-wire.ts';

/** Bytes: no longer message reports the server's address. */
const maxGreeting = 4_096;
/** BSON of `upsert: true`. */
const upsertKey = Buffer.from('\x08upsert\0\x01', 'latin1');
/** First request id of the bridge's own commands; drivers count from 1. */
const firstOwnId = 1 << 30;

export class MongoBridge {
  readonly #port: number;
  readonly #target: number;
  readonly #lines = new Set<Line>();
  #server: net.Server | null = null;
  /** By collection: the top-level members in its unique indexes. */
  readonly #unique = new Map<string, Set<string>>();
  /** By document: its latest upsert that is still running. */
  readonly #making = new Map<string, Promise<unknown>>();

  /** Listens on `port` of loopback, in front of the server at `target` of loopback. */
  constructor(port: number, target: number) {
    if (`${port}`.length !== `${target}`.length)
      throw new Error('the bridge takes a port of the same length');
    this.#port = port;
    this.#target = target;
  }

  async open(): Promise<void> {
    const server = net.createServer({ noDelay: true }, (client) => {
      const line = new Line(client, this.#target, {
        up: (message, on) => this.#stepsFor(message, on),
        down: (message) => this.#renamed(message),
      });
      this.#lines.add(line);
      client.once('close', () => this.#lines.delete(line));
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
  }

  /** Looks to clients like the end of the server's process: refuses new connections and closes the open ones. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const line of this.#lines) line.end();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** The reply to a command that the bridge performs itself; null if the command is forwarded unchanged. */
  #stepsFor(message: Buffer, line: Line): Promise<Buffer> | null {
    switch (commandName(message)) {
      case 'createIndexes':
        this.#note(readBody(message));
        return null;
      case 'insert': {
        const command = readBody(message);
        const unique = this.#unique.get(keyOf(command)) ?? new Set();
        return holdsAny(command, unique) ? insertedInSteps({ command, unique }, message, line) : null;
      }
      case 'findAndModify':
      case 'update':
        return message.includes(upsertKey) ? this.#inTurn(readBody(message), message, line) : null;
      default:
        return null;
    }
  }

  #note(command: Document): void {
    const collection = keyOf(command);
    const members = this.#unique.get(collection) ?? new Set();
    for (const { unique, key } of command['indexes'])
      if (unique === true) for (const path of Object.keys(key)) members.add(path.replace(/\..*/, ''));
    this.#unique.set(collection, members);
  }

  /** Forwards an upsert after all earlier ones that may insert one of its documents. */
  async #inTurn(command: Document, message: Buffer, line: Line): Promise<Buffer> {
    const statements: Document[] = command['updates'] ?? [{ q: command['query'] }];
    const keys = statements.map(({ q }) => `${keyOf(command)} ${JSON.stringify(q._id ?? q)}`);
    const before = keys.flatMap((key) => this.#making.get(key) ?? []);
    const answer = Promise.allSettled(before).then(() => line.exchange(message));
    for (const key of keys) this.#making.set(key, answer);
    try {
      return await answer;
    } finally {
      for (const key of keys) if (this.#making.get(key) === answer) this.#making.delete(key);
    }
  }

  /** Both ports have the same number of digits, so no length in the message changes. */
  #renamed(message: Buffer): Buffer {
    const [theirs, ours] = [`127.0.0.1:${this.#target}`, `127.0.0.1:${this.#port}`];
    if (message.length > maxGreeting) return message;
    for (let at = message.indexOf(theirs); at !== -1; at = message.indexOf(theirs, at))
      message.write(ours, at);
    return message;
  }
}

function holdsAny(command: Document, unique: ReadonlySet<string>): boolean {
  return command['documents'].some((document: Document) =>
    Object.keys(document).some((key) => unique.has(key)),
  );
}

async function insertedInSteps(insert: Insert, message: Buffer, line: Line): Promise<Buffer> {
  const reply = await insertInSteps(insert, (step) => line.ask(step));
  return writeMessage(0, requestIdOf(message), reply);
}

function keyOf(command: Document): string {
  const [name = ''] = Object.keys(command);
  return `${command['$db']}.${command[name]}`;
}

interface Ways {
  up: (message: Buffer, line: Line) => Promise<Buffer> | null;
  down: (message: Buffer) => Buffer;
}

/** One connection. A driver sends the next command only after the reply to the last one. */
class Line {
  readonly #client: net.Socket;
  readonly #server: net.Socket;
  /** By request id: replies that the bridge awaits and does not forward to the client. */
  readonly #waiting = new Map<number, { resolve: (reply: Buffer) => void; reject: (error: Error) => void }>();
  #nextId = firstOwnId;

  constructor(client: net.Socket, target: number, { up, down }: Ways) {
    this.#client = client;
    this.#server = net.connect({ port: target, host: '127.0.0.1', noDelay: true });
    const [commands, replies] = [new Messages(), new Messages()];
    client.on('data', (chunk) => {
      for (const message of commands.add(chunk)) {
        const steps = up(message, this);
        if (steps === null) this.#server.write(message);
        else
          steps.then(
            (reply) => client.write(reply),
            () => this.end(),
          );
      }
    });
    this.#server.on('data', (chunk) => {
      for (const message of replies.add(chunk)) this.#take(down(message));
    });
    for (const socket of [client, this.#server]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.end());
    }
  }

  /** Sends a message to the server; its reply does not go to the client. */
  exchange(message: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#server.destroyed) return reject(new Error('the connection is closed'));
      this.#waiting.set(requestIdOf(message), { resolve, reject });
      this.#server.write(message);
    });
  }

  /** Sends a command of the bridge itself and returns its reply. */
  async ask(command: Document): Promise<Document> {
    this.#nextId += 1;
    return readBody(await this.exchange(writeMessage(this.#nextId, 0, command)));
  }

  end(): void {
    this.#client.destroy();
    this.#server.destroy();
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection is closed'));
    this.#waiting.clear();
  }

  #take(message: Buffer): void {
    const waiting = this.#waiting.get(answeredBy(message));
    this.#waiting.delete(answeredBy(message));
    if (waiting === undefined) this.#client.write(message);
    else waiting.resolve(message);
  }
}
