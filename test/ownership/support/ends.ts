/** Two ends of links without a cluster around them, and a raw client that plays the intruder. */
import net from 'node:net';
import type { Link } from '../../../src/ownership/link.ts';
import { Links } from '../../../src/ownership/links.ts';
import type { Member } from '../../../src/ownership/member.ts';
import type { Frame } from '../../../src/ownership/wire.ts';
import { ConnectionShares } from '../../../src/kernel/connection-shares.ts';
import { makeLog } from '../../../src/kernel/log.ts';
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
  /** Received frames that are no answers. */
  frames: Frame[];
  /** Its log lines. */
  told: Record<string, unknown>[];
  /** Answers a received ask; tests replace it. */
  onAsk(link: Link, frame: Extract<Frame, { f: 'ask' }>): void;
}

export interface EndOptions {
  incarnation: string;
  itsSecret?: string;
  askDeadlineMs?: number;
  silentMs?: number;
  /** Places of the internal listener. */
  places?: number;
}

/** Opens a listener, reached through its proxy. Incarnations decide who dials: the lower one. */
export async function startEnd({
  incarnation,
  itsSecret = secret,
  askDeadlineMs = 10_000,
  silentMs = 1_000,
  places = 1_000,
}: EndOptions): Promise<End> {
  const port = await freePort();
  const proxy = await Proxy.start(port);
  const clock = new PausableClock();
  const self: Member = {
    nodeId: `node-${incarnation}`,
    incarnation,
    url: `wss://127.0.0.1:${proxy.port}`,
    startedAt: clock.now(),
    draining: false,
    leaseTtlMs: 1_000,
  };
  const links = new Links({
    self,
    secret: itsSecret,
    clock,
    log: makeLog('info', { write: (text) => void end.told.push(JSON.parse(text)) }),
    askDeadlineMs,
    silentMs,
    connections: new ConnectionShares(places, () => undefined),
    onFrame: (link, frame) => {
      if (frame.f === 'ask') end.onAsk(link, frame);
      else end.frames.push(frame);
    },
    onOpen: (opened) => end.opened.push(opened),
    onDead: (dead) => end.dead.push(dead),
    roundTrip: () => undefined,
    owned: () => 0,
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
    told: [],
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

/** Sends bytes to the end's listener; returns the first line of its answer, or '' if the connection was closed. */
export function firstLineTo(port: number, text: string | Buffer): Promise<string> {
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
