/** Receivers on loopback that send exactly the given bytes, and a poster for tests. */
import { noNetworks } from '../../src/rules/address.ts';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import { makeWebhookPoster } from '../../src/delivery/index.ts';
import type { WebhookPosterOptions } from '../../src/delivery/index.ts';
import type { WebhookPost } from '../../src/rules/outside.ts';
import type { Sealer, SealedText } from '../../src/kernel/sealed.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { listening } from '../support/ports.ts';

export interface Receiver {
  url: string;
  port: number;
  /** Complete requests as received, head and body. */
  requests: string[];
  connections: number;
  /** Resolves once the first connection is accepted. */
  connected: Promise<void>;
  /** Resolves with the number of bytes that a connection accepted from us, once it is closed. */
  closed: Promise<number>[];
  close(): Promise<void>;
}

export type Answer = (socket: Socket, request: string) => void;

export const plain =
  (head: string, body = ''): Answer =>
  (socket) =>
    void socket.write(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);

/** Listens on loopback and answers each request once it has been read completely. `wrap`: for TLS. */
export async function receiver(
  answer: Answer,
  makeServer: (onSocket: (socket: Socket) => void) => Server = createServer,
) {
  const sockets = new Set<Socket>();
  const first = signal<void>();
  const state: Receiver = {
    url: '',
    port: 0,
    requests: [],
    connections: 0,
    connected: first.fired,
    closed: [],
    close,
  };
  const server = makeServer((socket) => {
    state.connections += 1;
    first.fire();
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    state.closed.push(new Promise((resolve) => socket.once('close', () => resolve(socket.bytesWritten))));
    readRequests(socket, (request) => {
      state.requests.push(request);
      answer(socket, request);
    });
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  state.port = await listening(server);
  state.url = `http://127.0.0.1:${state.port}/hook?a=1`;
  return state;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

function readRequests(socket: Socket, onRequest: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < headEnd + 4 + length) return;
    onRequest(text.slice(0, headEnd + 4 + length));
    text = text.slice(headEnd + 4 + length);
  });
}

/** Readable "encryption" that still refuses another context. */
export const testSealer: Sealer = {
  seal: (bytes) => bytes,
  open: (bytes) => bytes,
  sealText: (text, context) => asSealed(`${context}|${text}`),
  openText(sealed, context) {
    if (!sealed.startsWith(`${context}|`)) throw new Error('sealed for another context');
    return sealed.slice(context.length + 1);
  },
  fingerprint: (text, context) => `${context}\n${text}`,
  isFingerprintOf: (fingerprint, text, context) => fingerprint === `${context}\n${text}`,
  describeKey: () => ({ id: '00000000', isKnown: true, isNewest: true }),
};

function isSealed(text: string): text is SealedText {
  return text.includes('|');
}

function asSealed(text: string): SealedText {
  if (!isSealed(text)) throw new Error('not sealed');
  return text;
}

export const body = Buffer.from('{"event":"message.received","text":"grüße"}');

export function postTo(url: string, more: Partial<WebhookPost> = {}): WebhookPost {
  return {
    channelId: 'channel-1',
    url,
    secret: null,
    deliveryId: 'delivery-1',
    attempt: 1,
    since: 0,
    isFailing: false,
    body,
    ...more,
  };
}

export function makePoster(options: Partial<WebhookPosterOptions> = {}) {
  const poster = makeWebhookPoster({
    timeoutMs: 5_000,
    allowInsecure: true,
    sealer: testSealer,
    clock: systemClock,
    log: silentLog,
    allowedNetworks: noNetworks,
    ownOrigins: [],
    ownPorts: [],
    ...options,
  });
  return { poster };
}

/** undici returns a connection to its pool one turn of the event loop after the answer. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A promise and the function that resolves it. */
export function signal<T>(): { fired: Promise<T>; fire: (value: T) => void } {
  const fires: ((value: T) => void)[] = [];
  const fired = new Promise<T>((resolve) => fires.push(resolve));
  return { fired, fire: (value) => fires[0]?.(value) };
}
