import net from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ChannelAsk } from '../../actors/channel/messages.ts';
import { WebSocket, WebSocketServer } from 'ws';
import { answeredKeys, helloHeaders } from '../../src/cluster/handshake.ts';
import type { Link } from '../../src/cluster/link.ts';
import { SealedLine } from '../../src/cluster/sealed-line.ts';
import type { LineKeys } from '../../src/cluster/sealed-line.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { firstLineTo, secret, startEnd, stopEnd, upgradeOf } from './support/ends.ts';
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

  /** `a` dials `b`; answers both ends and their links. */
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

  test('there is one link per pair, dialled by the incarnation that sorts lower, and it carries asks both ways', async () => {
    const { a, b, toB, toA } = await linked();
    a.links.addPeer(b.self);
    b.links.addPeer(a.self);
    expect(await ask(toB, 'one')).toEqual({ reply: 'one' });
    expect(await ask(toA, 'two')).toEqual({ reply: 'two' });
    expect([a.links.open().length, b.links.open().length, a.opened, b.opened]).toEqual([1, 1, ['b'], ['a']]);
    expect(a.proxy.connections).toBe(0);
    expect(b.proxy.connections).toBe(1);
  });

  test('asks of one tick are one WebSocket message, and each gets its own answer', async () => {
    const { toB } = await linked();
    const channels = Array.from({ length: 1_000 }, (_, index) => `channel-${index}`);
    const answers = await Promise.all(channels.map((channelId) => ask(toB, channelId)));
    expect(answers).toEqual(channels.map((reply) => ({ reply })));
    expect(toB.messagesSent).toBe(1);
  });

  test('what one tick holds is cut into messages that the peer takes', async () => {
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

  describe('a door only for peers', () => {
    test.each([
      [
        'without a proof',
        (to: End) => upgradeOf(to, { incarnation: 'a', nodeId: 'x' }).replace(/x-trunkline-proof.*\r\n/, ''),
      ],
      [
        'with the proof of another secret',
        (to: End) => upgradeOf(to, { incarnation: 'a', nodeId: 'x' }, 'wrong'),
      ],
      [
        'with a proof of another incarnation',
        (to: End) =>
          upgradeOf(to, { incarnation: 'a', nodeId: 'x' }).replace('-incarnation: a', '-incarnation: 0'),
      ],
      ['of an incarnation that must not dial', (to: End) => upgradeOf(to, { incarnation: 'z', nodeId: 'x' })],
    ])('an upgrade %s is refused', async (_why, request) => {
      const b = await end({ incarnation: 'b' });
      expect(await firstLineTo(b.port, request(b))).toBe('HTTP/1.1 403 Forbidden');
      expect(b.opened).toEqual([]);
    });

    test('an upgrade that was recorded opens nothing the second time', async () => {
      const b = await end({ incarnation: 'b' });
      const recorded = upgradeOf(b, { incarnation: 'a', nodeId: 'x' });
      expect(await firstLineTo(b.port, recorded)).toBe('HTTP/1.1 101 Switching Protocols');
      expect(await firstLineTo(b.port, recorded)).toBe('HTTP/1.1 403 Forbidden');
    });

    test('a recorded upgrade stays worthless after ten thousand others', async () => {
      const b = await end({ incarnation: 'b' });
      const recorded = upgradeOf(b, { incarnation: 'a', nodeId: 'x' });
      expect(b.links.guard.check(requestOf(recorded))).not.toBeNull();
      for (let index = 0; index < 10_001; index += 1)
        b.links.guard.check(requestOf(upgradeOf(b, { incarnation: 'a', nodeId: 'x' })));
      expect(b.links.guard.check(requestOf(recorded))).toBeNull();
    });

    test('a caller who cuts the connection after a refused upgrade harms nobody', async () => {
      const b = await end({ incarnation: 'b' });
      for (let index = 0; index < 20; index += 1) {
        const socket = net.connect({ host: '127.0.0.1', port: b.port });
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.write(upgradeOf(b, { incarnation: 'a', nodeId: 'x' }, 'wrong'));
        socket.write('x'.repeat(100_000));
        await new Promise((resolve) => setImmediate(resolve));
        socket.resetAndDestroy();
      }
      expect(await internal(b)).toBe('HTTP/1.1 200 OK');
    });

    test('a listener that does not know the secret is not linked to', async () => {
      const a = await end({ incarnation: 'a' });
      const b = await end({ incarnation: 'b' });
      const fake = new WebSocketServer({ port: await freePort(), host: '127.0.0.1' });
      const called = new Promise<WebSocket>((resolve) => fake.once('connection', resolve));
      a.links.addPeer({ ...b.self, url: `ws://127.0.0.1:${fake.options.port}` });
      const heard: unknown[] = [];
      const socket = await called;
      socket.on('message', (bytes) => heard.push(bytes));
      await new Promise((resolve) => socket.once('close', resolve));
      await new Promise((resolve) => fake.close(resolve));
      expect([a.opened, heard]).toEqual([[], []]);
    });
  });

  describe('frames are parsed, not trusted', () => {
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
      ['17 MB', `["${'x'.repeat(17 * 1024 * 1024)}"]`],
    ])('%s ends that link and nothing else', async (_what, text) => {
      const b = await end({ incarnation: 'b' });
      const { socket, line } = await peerOf(b);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.send(line.seal(text));
      await closed;
      await until('the link to end', () => b.links.open().length === 0);
      expect(b.frames).toEqual([]);
      expect(await internal(b)).toBe('HTTP/1.1 200 OK');
    });

    test('a frame or an ask that only a newer build knows is passed over', async () => {
      const b = await end({ incarnation: 'b' });
      const { socket, line } = await peerOf(b);
      const answer = new Promise((resolve) =>
        socket.once('message', (bytes: Buffer) => resolve(line.open(bytes))),
      );
      socket.send(
        line.seal(
          '[{"f":"from-the-future"},{"f":"ask","id":7,"channelId":"c","ask":{"type":"dance"}},{"f":"look"}]',
        ),
      );
      expect(await answer).toBe('[{"f":"refusal","id":7,"refusal":{"why":"unavailable"}}]');
      expect(b.frames).toEqual([{ f: 'look' }]);
      socket.terminate();
    });
  });

  describe('every message is sealed', () => {
    const look = '[{"f":"look"}]';

    test('what nobody sealed for this very place on this very link ends the link, unheard', async () => {
      const b = await end({ incarnation: 'b' });
      const other = await peerOf(await end({ incarnation: 'b' }));
      const intruders: ((peer: Peer) => (Buffer | string)[])[] = [
        () => [look],
        () => [Buffer.from(look)],
        () => [Buffer.from([1, 2, 3])],
        () => [Buffer.alloc(0)],
        ({ line }) => [altered(line.seal(look))],
        ({ line }) => [line.seal(look), line.seal(look)].toReversed(),
        ({ line }) => [line.seal(look).subarray(1)],
        () => [other.line.seal(look)],
      ];
      for (const messages of intruders) {
        const peer = await peerOf(b);
        const closed = new Promise((resolve) => peer.socket.once('close', resolve));
        for (const message of messages(peer)) peer.socket.send(message);
        await closed;
      }
      other.socket.terminate();
      expect(b.frames).toEqual([]);
    });

    test('a message is heard once, however often it comes', async () => {
      const b = await end({ incarnation: 'b' });
      const { socket, line } = await peerOf(b);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const once = line.seal(look);
      socket.send(once);
      socket.send(once);
      await closed;
      expect(b.frames).toEqual([{ f: 'look' }]);
    });

    test('neither end can be answered with what it said itself', async () => {
      const b = await end({ incarnation: 'b' });
      const { socket } = await peerOf(b);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.once('message', (bytes: Buffer) => socket.send(bytes));
      b.links.broadcast({ f: 'look' });
      await closed;
      expect(b.frames).toEqual([]);
    });

    test('who reads along reads nothing, of two links not even that they say the same', async () => {
      const b = await end({ incarnation: 'b' });
      const heard = async (): Promise<Buffer> => {
        const { socket } = await peerOf(b);
        const message = new Promise<Buffer>((resolve) => socket.once('message', resolve));
        b.links.broadcast({ f: 'changed', channelId: 'a-channel', apiKeyId: null });
        const bytes = await message;
        socket.terminate();
        return bytes;
      };
      const [first, second] = [await heard(), await heard()];
      expect(first.includes('a-channel')).toBe(false);
      expect(second.equals(first)).toBe(false);
    });
  });

  describe('everything is bounded', () => {
    test('more than the bound in flight answers overloaded, and room comes back with the answers', async () => {
      const { b, toB } = await linked();
      const waiting: (() => void)[] = [];
      b.onAsk = (link, frame) => waiting.push(() => link.send({ f: 'reply', id: frame.id, reply: 'late' }));
      const inFlight = Array.from({ length: 20_000 }, () => ask(toB));
      await expect(ask(toB)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
      await until('all of them there', () => waiting.length === 20_000);
      for (const answer of waiting) answer();
      expect(await Promise.all(inFlight)).toEqual(Array.from({ length: 20_000 }, () => ({ reply: 'late' })));
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'soon' });
      expect(await ask(toB)).toEqual({ reply: 'soon' });
    });

    test('an ask that is not answered within its deadline is lost, the link stands', async () => {
      const { b, toB } = await linked({ askDeadlineMs: 300 });
      b.onAsk = () => undefined;
      expect(await ask(toB)).toBe('closed');
      expect(toB.inFlight).toBe(0);
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'soon' });
      expect(await ask(toB)).toEqual({ reply: 'soon' });
    });

    test('an answer too large for a message is a refusal of that ask alone', async () => {
      const { b, toB } = await linked();
      b.onAsk = (link, frame) => link.send({ f: 'reply', id: frame.id, reply: 'x'.repeat(17 * 1024 * 1024) });
      expect(await ask(toB)).toEqual({ refusal: { why: 'fault', code: 'internal', details: {} } });
      expect(toB.isOpen).toBe(true);
    });
  });

  describe('its closing is the failure detector', () => {
    test('a peer whose link closes and whose port refuses is dead without a time-out', async () => {
      const { a, b, toB } = await linked();
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      await until('the ask to be there', () => toB.messagesSent === 1);
      await b.proxy.refuse();
      expect(await unanswered).toBe('closed');
      await until('the finding', () => a.dead.length > 0);
      expect(a.dead).toEqual(['b']);
    });

    test('the end that does not dial finds it as fast', async () => {
      const { a, b } = await linked();
      await a.proxy.refuse();
      b.proxy.reset();
      await until('the finding', () => b.dead.length > 0);
      expect(b.dead).toEqual(['a']);
    });

    test('a peer that is seen alive once more and then refuses is dead all the same', async () => {
      const { a, b } = await linked();
      b.proxy.blackHole(); // new connections are accepted and get no answer
      b.proxy.reset();
      await until('the probe', () => b.proxy.connections > 0);
      expect(a.dead).toEqual([]);
      await b.proxy.refuse();
      await until('the finding', () => a.dead.length > 0);
      expect(a.dead).toEqual(['b']);
    });

    test('a link that is cut while the peer lives is made again, and nobody is called dead', async () => {
      const { a, b } = await linked();
      b.proxy.reset();
      await until('the next link', () => a.opened.length === 2 && b.opened.length === 2);
      const again = a.links.get('b');
      expect(await (again === undefined ? null : ask(again))).toEqual({ reply: 'channel' });
      expect([a.dead, b.dead]).toEqual([[], []]);
    });

    test('a peer that was never linked to is not called dead, whatever its address answers', async () => {
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

    test('a silent link is cut: who waits on it is told', async () => {
      const { b, toB } = await linked({ silentMs: 400 });
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      b.proxy.blackHoleFor(() => true);
      expect(await unanswered).toBe('closed');
    });

    test('a half-closed link is a closed link', async () => {
      const { a, b, toB } = await linked();
      b.onAsk = () => undefined;
      const unanswered = ask(toB);
      await until('the ask to be there', () => toB.messagesSent === 1);
      b.proxy.halfClose();
      expect(await unanswered).toBe('closed');
      await until('the next link', () => a.opened.length === 2);
      expect(a.dead).toEqual([]);
    });

    test('a peer that says good-bye is neither dialled again nor called dead', async () => {
      const { a, b } = await linked();
      await b.links.stop();
      await until('the link to end', () => a.links.open().length === 0);
      expect(a.frames).toEqual([{ f: 'bye' }]);
      expect(a.links.isMissed('b')).toBe(false);
      expect(a.dead).toEqual([]);
    });

    test('a forgotten peer gets no link, not even one that was being dialled', async () => {
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

function ask(link: Link, channelId = 'channel'): Promise<unknown> {
  return link.ask({ channelId, ask: inspect });
}

/** What the internal listener says to a plain request. */
function internal(to: End): Promise<string> {
  return firstLineTo(to.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
}

interface Peer {
  socket: WebSocket;
  line: SealedLine;
}

/** A peer that knows the secret and whose messages the test writes. */
async function peerOf(b: End): Promise<Peer> {
  const headers = helloHeaders(secret, { incarnation: 'a', nodeId: 'x' }, b.self.incarnation);
  const socket = new WebSocket(`ws://127.0.0.1:${b.port}`, { headers });
  socket.on('error', () => undefined);
  const isOpen = new Promise((resolve) => socket.once('open', resolve));
  const keys = await new Promise<LineKeys | null>((resolve) =>
    socket.once('upgrade', (response) =>
      resolve(answeredKeys(secret, b.self.incarnation, headers, response)),
    ),
  );
  if (keys === null) throw new Error('it does not know the secret');
  await isOpen;
  await until('its end of the link', () => b.links.open().length === 1);
  return { socket, line: new SealedLine(keys) };
}

function altered(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
  return bytes;
}

/** What a guard looks at of a request. */
function requestOf(text: string): { headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/^([\w-]+): (.*)\r$/gm)) headers[name] = value;
  return { headers };
}
