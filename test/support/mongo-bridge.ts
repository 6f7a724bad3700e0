/**
 * Between the driver and the stand-in of `mongo-server.ts`: what a MongoDB does and the stand-in does not, put right on the wire, so
 * that nothing else has to know.
 *
 * - A value that came with an insert stays taken in its unique index when an update gives it up; one that came with an update does
 *   not. So an insert with such values goes with others in their place that nobody has, and an update to what it is.
 * - Of upserts that all would make one document, the `findAndModify`s that come second are applied and answered null. So upserts of
 *   one document go one after another.
 *
 * Where the stand-in says how it is reached, the bridge's own port takes the place of its port.
 */
import net from 'node:net';
import type { Document } from 'mongodb';
import { insertInSteps } from './mongo-insert.ts';
import type { Insert } from './mongo-insert.ts';
import { Messages, answeredBy, commandName, readBody, requestIdOf, writeMessage } from './mongo-wire.ts';

/** Of messages beyond it none says how the server is reached. */
const maxGreeting = 4_096;
/** As it is on the wire: a flag that is set. */
const upsertKey = Buffer.from('\x08upsert\0\x01', 'latin1');
/** Of commands that the bridge makes; drivers count from 1. */
const firstOwnId = 1 << 30;

export class MongoBridge {
  readonly #port: number;
  readonly #target: number;
  readonly #lines = new Set<Line>();
  #server: net.Server | null = null;
  /** By collection: the members that its unique indexes hold. */
  readonly #unique = new Map<string, Set<string>>();
  /** By document: the last upsert of it. */
  readonly #making = new Map<string, Promise<unknown>>();

  /** In front of the server at the port `target` of loopback. */
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

  /** As the end of the server's process looks: nobody listens, and what was connected is cut. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const line of this.#lines) line.end();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** null: the command passes as it is. */
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

  /** After all before it that may make one of its documents. */
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

  /** Both ports have as many digits: the lengths on the wire stay. */
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

/** One connection. Drivers wait for the reply to a command before they send the next on it. */
export class Line {
  readonly #client: net.Socket;
  readonly #server: net.Socket;
  /** By request: who waits for its reply instead of the client. */
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

  /** A command of the bridge's own. */
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
