import { once } from 'node:events';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import { WebSocket } from 'ws';
import type { Link } from '../../src/ownership/link.ts';
import { ConnectionShares } from '../../src/kernel/connection-shares.ts';
import { Links } from '../../src/ownership/links.ts';
import { maxMessageBytes } from '../../src/ownership/outbox.ts';
import { tlsClientOptions } from '../../src/ownership/tls.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { firstLineTo, secret, startEnd, stopEnd } from './support/ends.ts';
import type { End, EndOptions } from './support/ends.ts';

const inspect: ChannelAsk = { type: 'inspect' };

describe('the links between nodes', () => {
  let ends: End[] = [];

  afterEach(async () => {
    await Promise.all(ends.map(stopEnd));
    ends = [];
  });

  async function end(options: EndOptions): Promise<End> {
    const started = await startEnd(options);
    ends.push(started);
    return started;
  }

  /** Links `a` to `b`; returns both ends and their links. */
  async function linked(
    options: Partial<EndOptions> = {},
  ): Promise<{ a: End; b: End; toB: Link; toA: Link }> {
    const a = await end({ incarnation: 'a', ...options });
    const b = await end({ incarnation: 'b', ...options });
    a.links.addPeer(b.self);
    b.links.addPeer(a.self);
    const toB = await until('a link to b', () => a.links.get('b'));
    const toA = await until('a link to a', () => b.links.get('a'));
    return { a, b, toB, toA };
  }

  test('each pair has one link, dialled by the incarnation that sorts lower, and it carries asks in both directions', async () => {
    const { a, b, toB, toA } = await linked();
    a.links.addPeer(b.self);
    b.links.addPeer(a.self);
    expect(await ask(toB, 'one')).toEqual({ reply: 'one' });
    expect(await ask(toA, 'two')).toEqual({ reply: 'two' });
    expect([a.links.open().length, b.links.open().length, a.opened, b.opened]).toEqual([1, 1, ['b'], ['a']]);
    expect(a.proxy.connections).toBe(0);
    expect(b.proxy.connections).toBe(1);
  });

  test('a peer that is added twice before its first link is dialled once', async () => {
    const a = await end({ incarnation: 'a' });
    const b = await end({ incarnation: 'b' });
    a.links.addPeer(b.self);
    a.links.addPeer(b.self);
    await until('a link on both', () => a.links.get('b') !== undefined && b.links.get('a') !== undefined);
    expect([a.opened, b.opened, b.proxy.accepted]).toEqual([['b'], ['a'], 1]);
  });

  test('the asks of one tick are one WebSocket message, and so are their answers', async () => {
    const { toA, toB } = await linked({ silentMs: 60_000 }); // no ping is among them
    const channels = Array.from({ length: 1_000 }, (_, index) => `channel-${index}`);
    const answers = await Promise.all(channels.map((channelId) => ask(toB, channelId)));
    expect(answers).toEqual(channels.map((reply) => ({ reply })));
    expect([toB.messagesSent, toA.messagesSent]).toEqual([1, 1]);
  });

  test('the frames of one tick are split into messages of a size that the peer accepts', async () => {
    const { b, toB } = await linked();
    const large = 'x'.repeat(200_000);
    const facts: ChannelAsk = { type: 'take-facts', facts: [] };
    b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: frame.channelId.length });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => toB.ask({ channelId: large, ask: facts })),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, () => ({ reply: 200_000 })));
    expect(toB.messagesSent).toBeGreaterThan(5);
  });

  test('listen resolves with the port that was bound, and rejects when the port is taken', async () => {
    const b = await end({ incarnation: 'b' });
    const [free, late] = [linksOf(b), linksOf(b)];
    const port = await free.listen(0, '127.0.0.1');
    expect(await firstLineTo(port, 'no TLS\r\n')).not.toContain('200');
    await expect(late.listen(port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
    await free.stop();
    expect(port).toBeGreaterThan(0);
  });

  test('an unreachable peer is dialled again within 5 ms, later twice a second', async () => {
    const b = await end({ incarnation: 'b' });
    const pauses: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, fire) {
        pauses.push(ms);
        const timer = setImmediate(fire);
        return () => clearImmediate(timer);
      },
    };
    const links = linksOf({ ...b, clock });
    links.addPeer({ ...b.self, incarnation: 'c', url: `wss://127.0.0.1:${await freePort()}` });
    await until('ten dials', () => pauses.length >= 10);
    links.removePeer('c');
    expect(pauses[0]).toBeLessThanOrEqual(5);
    for (const pause of pauses.slice(8)) expect(Math.min(Math.max(pause, 250), 500)).toBe(pause);
  });

  test('a peer is missed once its link has closed, not before its first link', async () => {
    const b = await end({ incarnation: 'b' });
    const clock = new FakeClock();
    const links = linksOf({ self: { ...b.self, incarnation: 'a' }, clock });
    const misses = () => [links.missedMs('b'), links.isMissed('b')];
    expect(misses()).toEqual([Infinity, false]);
    links.addPeer(b.self);
    clock.advance(7);
    expect(misses()).toEqual([7, false]);
    const link = await until('a link to b', () => links.get('b'));
    clock.advance(7);
    expect(misses()).toEqual([0, false]);
    expect(await until('its other end', () => b.links.open()[0]?.incarnation)).toBe('a');
    expect([b.links.missedMs('a'), b.links.isMissed('a')]).toEqual([0, false]);
    b.proxy.blackHole();
    link.terminate();
    await until('the end of the link', () => links.get('b') === undefined);
    clock.advance(9);
    expect(misses()).toEqual([9, true]);
    links.removePeer('b');
    expect(misses()).toEqual([Infinity, false]);
  });

  test('a peer whose link was accepted before it was known is not missed', async () => {
    const a = await end({ incarnation: 'a' });
    const b = await end({ incarnation: 'b' });
    a.links.addPeer(b.self); // as a node that has started again does, before the others have looked it up
    await until('the accepted link', () => b.links.get('a'));
    b.links.addPeer(a.self);
    expect([b.links.missedMs('a'), b.links.isMissed('a')]).toEqual([0, false]);
  });

  test('a stopped node dials no peer, and no node dials itself', async () => {
    const b = await end({ incarnation: 'b' });
    const links = linksOf(b);
    links.addPeer(b.self);
    expect(links.missedMs('b')).toBe(Infinity);
    await links.listen(0, '127.0.0.1');
    await links.stop();
    links.addPeer({ ...b.self, incarnation: 'c' });
    expect(links.missedMs('c')).toBe(Infinity);
  });

  describe('the listener for peers', () => {
    test.each([
      ['for another incarnation', { from: 'a', to: 'c' }],
      ['of an incarnation that must not dial', { from: 'z', to: 'b' }],
      ['of itself', { from: 'b', to: 'b' }],
      ['of nobody', { to: 'b' }],
    ])('refuses an upgrade %s', async (_why, says) => {
      const b = await end({ incarnation: 'b' });
      const socket = dialled(b, says);
      const status = await new Promise((resolve) =>
        socket.once('unexpected-response', (_, response) => resolve(response.statusCode)),
      );
      expect(status).toBe(403);
      expect(b.opened).toEqual([]);
    });

    test('closes a refused upgrade, also if its client keeps its own side open', async () => {
      const b = await end({ incarnation: 'b' });
      const line = { host: '127.0.0.1', port: b.port, allowHalfOpen: true, ...tlsClientOptions(secret, 'a') };
      const socket = tls.connect(line).on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nhost: b\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
      await once(socket.resume(), 'end');
      await until('its end', () => socket.destroyed || void socket.write('x'), 3_000).finally(() =>
        socket.destroy(),
      );
    });

    test('keeps the newer link of a peer that dials again while the older one is open', async () => {
      const b = await end({ incarnation: 'b' });
      const older = await peerOf(b);
      const closed = once(older, 'close');
      const newer = dialled(b, { from: 'a', to: 'b' });
      await Promise.all([once(newer, 'open'), closed]);
      newer.send('[{"f":"ask","id":1,"channelId":"c","ask":{"type":"inspect"}}]');
      await once(newer, 'message');
      expect([b.opened, b.links.open().length]).toEqual([['a', 'a'], 1]);
    });

    test('that fails after it was bound goes on, and logs the failure', async () => {
      const creates = jest.spyOn(https, 'createServer');
      const b = await end({ incarnation: 'b' });
      const server: unknown = creates.mock.results[0]?.value;
      creates.mockRestore();
      const failure = new Error('accept EMFILE'); // the process has no file descriptor left
      expect(server instanceof https.Server && server.emit('error', failure)).toBe(true);
      expect(b.told).toEqual([
        expect.objectContaining({ level: 'error', msg: 'listener.failed', error: expect.anything() }),
      ]);
      await peerOf(b);
    });

    test('answers a plain request with 404, also with the secret', async () => {
      const b = await end({ incarnation: 'b' });
      const [response] = await once(
        https.get({ host: '127.0.0.1', port: b.port, ...tlsClientOptions(secret, 'a') }),
        'response',
      );
      expect(response.resume().statusCode).toBe(404);
    });

    test('ends a handshake without the secret, and logs that once', async () => {
      const b = await end({ incarnation: 'b' });
      const failed = (socket: WebSocket): Promise<unknown> =>
        new Promise((resolve) => socket.once('error', resolve));
      const url = `127.0.0.1:${b.port}`;
      await failed(new WebSocket(`wss://${url}`, { rejectUnauthorized: false }));
      await failed(new WebSocket(`ws://${url}`));
      expect(await firstLineTo(b.port, 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n')).not.toContain('200');
      await until('a line', () => b.told.length > 0);
      expect(b.told).toEqual([
        expect.objectContaining({
          msg: 'link.refused',
          why: expect.stringContaining('no CLUSTER_SECRET'),
          address: expect.stringContaining('127.0.0.1'),
        }),
      ]);
      expect(b.opened).toEqual([]);
    });

    test('[faults: 93] with all places taken a stranger pays for the next with its oldest connection, and an open link stays', async () => {
      const { b, toB } = await linked({ places: 3 });
      const stranger = (): net.Socket =>
        net
          .connect(b.port, '127.0.0.1')
          .on('error', () => undefined)
          .resume();
      const first = stranger();
      await once(first, 'connect');
      const second = stranger();
      await once(first, 'close');
      expect(second.destroyed).toBe(false);
      expect(await ask(toB, 'one')).toEqual({ reply: 'one' });
      second.destroy();
    });

    test('with different secrets there is no link, and each end logs the reason in one line', async () => {
      const a = await end({ incarnation: 'a' });
      const b = await end({ incarnation: 'b', itsSecret: 'another secret' });
      a.links.addPeer(b.self);
      b.links.addPeer(a.self);
      await until('a line on both', () => a.told.length > 0 && b.told.length > 0);
      const dials = b.proxy.accepted;
      await until('more dials', () => b.proxy.accepted > dials + 2);
      for (const { told } of [a, b])
        expect(told).toEqual([
          expect.objectContaining({
            level: 'warn',
            msg: 'link.refused',
            why: 'its CLUSTER_SECRET differs from ours',
          }),
        ]);
      expect([a.opened, b.opened]).toEqual([[], []]);
    });

    test('a recorded handshake that is replayed opens nothing', async () => {
      const { a, b } = await linked();
      const recorded = b.proxy.recorded();
      const opened = b.opened.length;
      expect(await firstLineTo(b.port, recorded)).not.toContain('101');
      expect([b.opened.length, a.links.open().length, b.links.open().length]).toEqual([opened, 1, 1]);
    });

    test('an eavesdropper reads nothing', async () => {
      const { b, toB } = await linked();
      const facts: ChannelAsk = { type: 'take-facts', facts: [] };
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'a-readable-reply' });
      expect(await toB.ask({ channelId: 'a-readable-channel', ask: facts })).toEqual({
        reply: 'a-readable-reply',
      });
      expect(b.proxy.recorded('both').toString('latin1')).not.toContain('a-readable');
    });

    test('a byte that is altered in transit ends the link before it is processed; the next link works', async () => {
      const { a, b, toB } = await linked();
      b.proxy.alterNext();
      toB.send({ f: 'look' });
      await until('the next link', () => a.opened.length === 2 && b.opened.length === 2);
      expect(b.proxy.fired).toBe(1);
      expect(b.frames).toEqual([]);
    });

    test('a client that disconnects during the handshake has no effect', async () => {
      const b = await end({ incarnation: 'b' });
      for (let index = 0; index < 20; index += 1) {
        const socket = net.connect({ host: '127.0.0.1', port: b.port });
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
        socket.write('x'.repeat(100_000));
        await new Promise((resolve) => setImmediate(resolve));
        socket.resetAndDestroy();
      }
      await peerOf(b);
      expect([b.opened, b.told.map(({ msg }) => msg)]).toEqual([['a'], ['link.open']]);
    });
  });

  describe('frames are validated', () => {
    test.each([
      ['no JSON', 'nonsense'],
      ['no array', '{"f":"look"}'],
      ['null in the array', '[null]'],
      ['a number in the array', '[1]'],
      ['a frame without a name', '[{}]'],
      ['an ask without an ask', '[{"f":"ask","id":1,"channelId":"c"}]'],
      ['an ask with a list for an id', '[{"f":"ask","id":[],"channelId":"c","ask":{"type":"inspect"}}]'],
      ['a tell that is text', '[{"f":"tell","channelId":"c","tell":"wake"}]'],
      ['a refusal without a reason', '[{"f":"refusal","id":1,"refusal":null}]'],
      ['more than a message holds', `[{"f":"look","of":"${'x'.repeat(maxMessageBytes)}"}]`],
    ])('%s ends only that link', async (_what, text) => {
      const b = await end({ incarnation: 'b' });
      const socket = await peerOf(b);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.send(text);
      await closed;
      await until('the link to end', () => b.links.open().length === 0);
      expect(b.frames).toEqual([]);
      await peerOf(b);
    });

    test('a frame or an ask that only a newer build knows is ignored', async () => {
      const b = await end({ incarnation: 'b' });
      const socket = await peerOf(b);
      const answer = new Promise((resolve) =>
        socket.once('message', (bytes: Buffer) => resolve(bytes.toString())),
      );
      socket.send(
        '[{"f":"from-the-future"},{"f":"ask","id":7,"channelId":"c","ask":{"type":"dance"}},{"f":"look"}]',
      );
      expect(await answer).toBe('[{"f":"refusal","id":7,"refusal":{"why":"unavailable"}}]');
      expect(b.frames).toEqual([{ f: 'look' }]);
      socket.terminate();
    });
  });

  describe('bounds', () => {
    test('more asks than the bound are answered overloaded, and answers make room again', async () => {
      const { b, toB } = await linked();
      const waiting: (() => void)[] = [];
      b.onAsk = (link, frame) => waiting.push(() => link.send({ f: 'reply', id: frame.id, reply: 'late' }));
      const inFlight = Array.from({ length: 20_000 }, () => ask(toB));
      expect(await ask(toB)).toEqual({ refusal: { why: 'fault', code: 'overloaded', details: {} } });
      await until('all of them there', () => waiting.length === 20_000);
      for (const answer of waiting) answer();
      expect(await Promise.all(inFlight)).toEqual(Array.from({ length: 20_000 }, () => ({ reply: 'late' })));
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'soon' });
      expect(await ask(toB)).toEqual({ reply: 'soon' });
    });

    test('an ask that is not answered within its deadline is lost, the link stays open', async () => {
      const { b, toB } = await linked({ askDeadlineMs: 300 });
      b.onAsk = () => undefined;
      expect(await ask(toB)).toBe('closed');
      expect(toB.inFlight).toBe(0);
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'soon' });
      expect(await ask(toB)).toEqual({ reply: 'soon' });
    });

    test('an answer too large for a message is a refusal of that ask only', async () => {
      const { b, toB } = await linked();
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'x'.repeat(maxMessageBytes) });
      expect(await ask(toB)).toEqual({ refusal: { why: 'fault', code: 'internal', details: {} } });
      expect(toB.isOpen).toBe(true);
    });
  });

  describe('a closed link detects failures', () => {
    test('a peer whose link closes and whose port refuses is dead without a timeout', async () => {
      const { a, b, toB } = await linked();
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      await until('the ask to be there', () => toB.messagesSent === 1);
      await b.proxy.refuse();
      expect(await unanswered).toBe('closed');
      await until('the finding', () => a.dead.length > 0);
      expect(a.dead).toEqual(['b']);
    });

    test('the end that does not dial detects it as fast', async () => {
      const { a, b } = await linked();
      await a.proxy.refuse();
      b.proxy.reset();
      await until('the finding', () => b.dead.length > 0);
      expect(b.dead).toEqual(['a']);
    });

    test('a peer that answers once more and then refuses is dead too', async () => {
      const { a, b } = await linked();
      b.proxy.blackHole(); // new connections are accepted and get no answer
      b.proxy.reset();
      await until('the probe', () => b.proxy.connections > 0);
      expect(a.dead).toEqual([]);
      await b.proxy.refuse();
      await until('the finding', () => a.dead.length > 0);
      expect(a.dead).toEqual(['b']);
    });

    test('a link that breaks while the peer lives is opened again, and the peer is not declared dead', async () => {
      const { a, b } = await linked();
      b.proxy.reset();
      await until('the next link', () => a.opened.length === 2 && b.opened.length === 2);
      const again = a.links.get('b');
      expect(await (again === undefined ? null : ask(again))).toEqual({ reply: 'channel' });
      expect([a.dead, b.dead]).toEqual([[], []]);
      expect(a.told.map(({ level, msg, peer, node }) => [level, msg, peer, node])).toEqual([
        ['info', 'link.open', 'b', undefined],
        ['warn', 'link.closed', 'b', 'node-b'],
        ['info', 'link.open', 'b', undefined],
      ]);
      expect(a.links.changes).toBe(3);
    });

    test('a peer that never had a link is not declared dead, whatever its address answers', async () => {
      const a = await end({ incarnation: 'a' });
      const b = await end({ incarnation: 'b' });
      await b.proxy.refuse();
      a.links.addPeer(b.self);
      await b.links.stop();
      const c = await end({ incarnation: 'c' });
      a.links.addPeer(c.self);
      await until('another link meanwhile', () => a.links.get('c'));
      expect(a.dead).toEqual([]);
    });

    test('a silent link is closed: its waiting asks fail', async () => {
      const { b, toB } = await linked({ silentMs: 400 });
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      b.proxy.blackHoleFor(() => true);
      expect(await unanswered).toBe('closed');
    });

    test('a half-closed link counts as closed', async () => {
      const { a, b, toB } = await linked();
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      await until('the ask to be there', () => toB.messagesSent === 1);
      b.proxy.halfClose();
      expect(await unanswered).toBe('closed');
      await until('the next link', () => a.opened.length === 2);
      expect(a.dead).toEqual([]);
    });

    test('a peer that says good-bye is neither dialled again nor declared dead', async () => {
      const { a, b } = await linked();
      await b.links.stop();
      await until('the link to end', () => a.links.open().length === 0);
      expect(a.frames).toEqual([{ f: 'bye' }]);
      expect(a.links.isMissed('b')).toBe(false);
      expect(a.dead).toEqual([]);
    });

    test('a removed peer gets no link, not even one that was being dialled', async () => {
      const a = await end({ incarnation: 'a' });
      const b = await end({ incarnation: 'b' });
      b.proxy.delay(50);
      a.links.addPeer(b.self);
      await until('the dial', () => b.proxy.connections > 0);
      a.links.removePeer('b');
      await until('its end', () => b.proxy.connections === 0);
      expect([a.opened, a.links.open()]).toEqual([[], []]);
    });
  });
});

/** Links of their own with what the end has. */
function linksOf({ self, clock }: Pick<End, 'self'> & { clock: Clock }): Links {
  const ignore = (): void => undefined;
  const hears = { onFrame: ignore, onOpen: ignore, onDead: ignore, roundTrip: ignore, owned: () => 0 };
  const connections = new ConnectionShares(1_000, ignore);
  const limits = { askDeadlineMs: 1_000, silentMs: 1_000, connections };
  return new Links({ self, clock, secret, log: silentLog, ...limits, ...hears });
}

function ask(link: Link, channelId = 'channel'): Promise<unknown> {
  return link.ask({ channelId, ask: inspect });
}

/** A handshake with the secret, in which the test chooses the announced member. */
function dialled(b: End, { from, to }: { from?: string; to?: string }): WebSocket {
  const headers = {
    ...(from === undefined ? {} : { 'x-trunkline-from': from }),
    ...(to === undefined ? {} : { 'x-trunkline-to': to }),
  };
  const socket = new WebSocket(`wss://127.0.0.1:${b.port}`, { headers, ...tlsClientOptions(secret, 'a') });
  socket.on('error', () => undefined);
  return socket;
}

/** A peer with the secret, whose messages the test writes. */
async function peerOf(b: End): Promise<WebSocket> {
  const socket = dialled(b, { from: 'a', to: b.self.incarnation });
  await new Promise((resolve) => socket.once('open', resolve));
  await until('its end of the link', () => b.links.open().length === 1);
  return socket;
}
