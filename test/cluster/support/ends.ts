/** Two ends of links without a cluster around them, and a raw client that plays the intruder. */
import net from 'node:net';
import { helloHeaders } from '../../../src/cluster/handshake.ts';
import type { Link } from '../../../src/cluster/link.ts';
import { Links } from '../../../src/cluster/links.ts';
import type { Member } from '../../../src/cluster/member.ts';
import type { Frame } from '../../../src/cluster/wire.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { Proxy } from '../../support/proxy.ts';
import { freePort } from '../../support/ports.ts';
import { PausableClock } from './pausable-clock.ts';

export const secret = 'a cluster secret of the tests';

export interface End {
  self: Member;
  links: Links;
  clock: PausableClock;
  proxy: Proxy;
  port: number;
  dead: string[];
  opened: string[];
  /** Frames that came in and are no answers. */
  frames: Frame[];
  /** Answers an ask that came in; tests replace it. */
  onAsk(link: Link, frame: Extract<Frame, { f: 'ask' }>): void;
}

export interface EndOptions {
  incarnation: string;
  itsSecret?: string;
  askDeadlineMs?: number;
  silentMs?: number;
}

/** Listening, reached through its proxy. Incarnations order who dials: the lower one. */
export async function startEnd({
  incarnation,
  itsSecret = secret,
  askDeadlineMs = 10_000,
  silentMs = 1_000,
}: EndOptions): Promise<End> {
  const port = await freePort();
  const proxy = await Proxy.start(port);
  const clock = new PausableClock();
  const self: Member = {
    nodeId: `node-${incarnation}`,
    incarnation,
    url: `ws://127.0.0.1:${proxy.port}`,
    startedAt: clock.now(),
    draining: false,
    leaseTtlMs: 1_000,
  };
  const links = new Links({
    self,
    secret: itsSecret,
    clock,
    log: silentLog,
    askDeadlineMs,
    silentMs,
    onRequest: (_request, response) => response.end('internal'),
    onFrame: (link, frame) => {
      if (frame.f === 'ask') end.onAsk(link, frame);
      else end.frames.push(frame);
    },
    onOpen: (opened) => end.opened.push(opened),
    onDead: (dead) => end.dead.push(dead),
    roundTrip: () => undefined,
  });
  const end: End = {
    self,
    links,
    clock,
    proxy,
    port,
    dead: [],
    opened: [],
    frames: [],
    onAsk: (link, frame) => link.send({ f: 'reply', id: frame.id, reply: frame.channelId }),
  };
  await links.listen(port, '127.0.0.1');
  return end;
}

export async function stopEnd(end: End): Promise<void> {
  end.clock.resume();
  end.proxy.heal();
  await end.links.stop();
  await end.proxy.close();
}

/** An upgrade request as a peer with this incarnation would send it. */
export function upgradeOf(
  to: End,
  from: { incarnation: string; nodeId: string },
  itsSecret = secret,
): string {
  const headers = {
    host: '127.0.0.1',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16, 7).toString('base64'),
    ...helloHeaders(itsSecret, from, to.self.incarnation),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends bytes to the end's listener and answers the first line that comes back; '' when it was cut. */
export function firstLineTo(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write(text));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(String(bytes).split('\r\n', 1)[0] ?? '');
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}
