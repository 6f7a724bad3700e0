import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Socket as NetSocket } from 'node:net';
import { once } from 'node:events';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { makeLiveFeed } from '../../../src/features/live/feed.ts';
import type { LiveFeedOptions } from '../../../src/features/live/feed.ts';
import type { FeedLinks } from '../../../src/features/live/pub-client.ts';
import type { LiveEvent } from '../../../src/rules/outside.ts';
import type { Envelope } from '../../../src/rules/events/built.ts';
import type { Signatures } from '../../../src/rules/webhooks/signature.ts';
import { silentLog } from '../../support/silent-log.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { listening } from '../../support/ports.ts';
import type { MissedEvent } from '../../../src/features/deliveries/missed.ts';

const notFound: RequestListener = (request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(404).end('not here'));
};

/** A server that answers 404 to everything, with the feed in front of it. */
export async function liveServer(
  { port: given, ...options }: Partial<LiveFeedOptions> & { port?: number } = {},
  listener = notFound,
) {
  const server = createServer(listener);
  const keys = new Map([
    ['key-a', 'account-a'],
    ['key-b', 'account-b'],
    ['key-blind', 'account-a'],
  ]);
  const feed = makeLiveFeed({
    server,
    authenticate: async ({ secret }) => {
      const accountId = keys.get(secret);
      return accountId === undefined ? null : { accountId, mayRead: secret !== 'key-blind' };
    },
    log: silentLog,
    ...options,
  });
  const port = await listening(server, given);
  const close = async (): Promise<void> => {
    await feed.close();
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { server, feed, keys, port, url: `http://127.0.0.1:${port}`, close };
}

/** Servers and subscribers of a test file; each is closed after the test that opened it. */
export function openedForTest() {
  const closeLater = closeAfterEach();
  return {
    closeLater,
    served: async (...args: Parameters<typeof liveServer>) => {
      const made = await liveServer(...args);
      closeLater(made.close);
      return made;
    },
    client: (...args: Parameters<typeof subscribe>): Socket => {
      const socket = subscribe(...args);
      closeLater(() => socket.disconnect());
      return socket;
    },
  };
}

export function subscribe(url: string, apiKey: unknown, more: object = {}): Socket {
  const given = apiKey === undefined ? {} : { auth: { apiKey } };
  return io(`${url}/live`, {
    path: '/live/socket.io',
    forceNew: true,
    reconnection: false,
    ...given,
    ...more,
  });
}

/** The arguments of the next event of this name. */
export function next(socket: Socket, name: string): Promise<unknown[]> {
  return new Promise((resolve) => socket.once(name, (...args: unknown[]) => resolve(args)));
}

/** What a refused connection is told. */
export async function refusalOf(socket: Socket): Promise<unknown> {
  const [error] = await next(socket, 'connect_error');
  return error instanceof Error && 'data' in error ? error.data : String(error);
}

export function envelope(id: string): Envelope {
  return {
    event: 'message.received',
    channel_id: 'channel-1',
    channel_type: 'chatapp',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { message_id: id },
  };
}

/** An event as the owner of a channel publishes it, each of another delivery. */
export function eventOf(id: string, ofBody: string | null = null): LiveEvent {
  const sign = (timestamp: number): Signatures | null =>
    ofBody === null ? null : signaturesAs(ofBody, timestamp);
  return { envelope: envelope(id), deliveryId: `delivery of ${id}`, sign };
}

/** What the service says of one signature; the second is told by the first. */
export function signaturesAs(ofBody: string, timestamp = 1_767_225_600): Signatures {
  return { ofBody, ofParts: `v1,${ofBody}`, timestamp };
}

/** A delivery from before the subscription: with its content, or ended. */
export function missedOf(id: string, content: MissedEvent['content'] = null): MissedEvent {
  return {
    deliveryId: `delivery of ${id}`,
    channelId: 'channel-1',
    channelType: 'chatapp',
    event: 'message.received',
    messageId: id,
    state: content === null ? 'delivered' : 'pending',
    createdAt: Date.parse('2026-01-01T00:00:00.000Z'),
    content,
  };
}

/** Everything that a subscriber gets, by event name and id, until it has caught up. */
export function heardUntilCaughtUp(socket: Socket): Promise<string[]> {
  const heard: string[] = [];
  socket.on('event', ({ data }) => heard.push(`event ${data.message_id}`));
  socket.on('logged', ({ message_id: id, state }) => heard.push(`${state} ${id}`));
  socket.on('catching_up', () => heard.push('catching_up'));
  return new Promise((resolve) => socket.once('caught_up', () => resolve(heard)));
}

/** A subscriber on a raw socket that stops reading once it is admitted. */
export async function stalledSubscriber(port: number, apiKey: string, since?: string): Promise<NetSocket> {
  const { socket, hears } = await newcomer(port);
  socket.write(frame(`40/live,${JSON.stringify({ apiKey, since })}`));
  await hears('40/live,');
  socket.pause();
  return socket;
}

interface RawWebSocket {
  socket: NetSocket;
  /** Resolves once the words have arrived. */
  hears: (words: string) => Promise<void>;
}

/** A WebSocket of the feed that has not sent its key yet. */
export async function newcomer(port: number): Promise<RawWebSocket> {
  const made = webSocket(port);
  await made.hears('"sid"');
  return made;
}

/** A WebSocket of the feed on a raw socket; with `sid`, to which the polling session of this id may upgrade. */
export function webSocket(port: number, sid?: string): RawWebSocket {
  const socket = connect(port, '127.0.0.1');
  const session = sid === undefined ? '' : `&sid=${sid}`;
  socket.write(
    `GET /live/socket.io/?EIO=4&transport=websocket${session} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
  );
  let heard = '';
  const hears = async (words: string): Promise<void> => {
    while (!heard.includes(words)) heard += String(await once(socket, 'data'));
  };
  return { socket, hears };
}

/** A masked text frame of less than 126 bytes. The mask is zero, so the bytes stay unchanged. */
export function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

/** Links between feeds of one process, without a cluster: each call of the result adds a node. */
export function linkedFeeds(): () => FeedLinks & { told: number } {
  interface End {
    way: 'redis' | 'links' | null;
    hear: (channel: string, packet: Uint8Array) => void;
    repeat: () => void;
  }
  const ends: End[] = [];
  return () => {
    const own: End = { way: null, hear: () => undefined, repeat: () => undefined };
    ends.push(own);
    const tellable = (by: 'any' | 'links'): End[] =>
      ends.filter((end) => end !== own && (end.way === 'links' || (by === 'any' && end.way === 'redis')));
    return {
      /** The packets that were sent over the links from this node. */
      told: 0,
      subscribe(way) {
        own.way = way;
        if (way === 'links') for (const end of ends) if (end !== own) end.repeat();
      },
      hasSubscribers: (by) => tellable(by).length > 0,
      publish(by, channel, packet) {
        for (const end of tellable(by)) {
          this.told += 1;
          setImmediate(() => end.hear(channel, packet));
        }
      },
      onPeerWithoutRedis: (repeat) => void (own.repeat = repeat),
      onEvent: (hear) => void (own.hear = hear),
    };
  };
}
