/** A peer's bytes on its link: whole frames, and anything else in a WebSocket message. [faults: 32, 120] */
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { Link } from '../../../src/ownership/link.ts';
import type { Frame } from '../../../src/ownership/wire.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Target } from '../target.ts';

const channelId = '11111111-1111-4111-8111-111111111111';
const send = { type: 'send', id: 'm', recipient: '49', content: { type: 'text', text: 'hello' } };

/** The end of this node, and the peer's end, which sends anything. */
class Pair {
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 2 ** 20 });
  #peer: WebSocket | null = null;
  #link: Link | null = null;
  heard: string[] = [];

  async open(): Promise<WebSocket> {
    if (this.#peer?.readyState === WebSocket.OPEN && this.#link?.isOpen === true) return this.#peer;
    this.#peer?.terminate();
    if (this.#server.address() === null) await once(this.#server, 'listening');
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connected = new Promise<WebSocket>((resolve) => this.#server.once('connection', resolve));
    const ours = new WebSocket(`ws://127.0.0.1:${port}`);
    const peer = await connected;
    await new Promise((resolve) => ours.once('open', resolve));
    peer.on('error', () => undefined);
    const settings = { clock: systemClock, askDeadlineMs: 5_000, silentMs: 60_000, owned: () => 0 };
    this.#link = new Link('peer', ours, settings, {
      frame: (frame: Frame) => void this.heard.push(frame.f),
      closed: () => undefined,
      roundTrip: () => undefined,
    });
    this.#peer = peer;
    return peer;
  }

  close(): void {
    this.#peer?.terminate();
    this.#link?.terminate();
    this.#server.close();
  }
}

export async function openLinks(): Promise<Target> {
  const pair = new Pair();
  await pair.open();
  const frames: unknown[] = [
    { f: 'ask', id: 1, channelId, ask: send },
    { f: 'ask', id: 2, channelId, ask: { type: 'new-in-next-year' } },
    { f: 'tell', channelId, tell: { type: 'wake' }, frees: 'store' },
    { f: 'reply', id: 1, reply: { status: 'sent' } },
    { f: 'refusal', id: 1, refusal: { why: 'moved', owner: null } },
    { f: 'changed', channelId: null, apiKeyId: 'k' },
    { f: 'look' },
    { f: 'drains' },
    { f: 'bye' },
    { f: 'ping', id: 3 },
    { f: 'unknown' },
  ];
  return {
    seeds: [...frames.map((frame) => JSON.stringify([frame])), JSON.stringify(frames), '[]'],
    maxBytes: 100_000,
    async run(input) {
      const peer = await pair.open();
      pair.heard = [];
      peer.send(input, { binary: input[0] === 0 });
      // The pong follows all answers to the input; a closed link sends none.
      const said = await new Promise<string>((resolve) => {
        const over = (outcome: string) => (): void => {
          peer.off('pong', answered).off('close', ended);
          resolve(outcome);
        };
        const [answered, ended] = [over('open'), over('ended')];
        peer.on('pong', answered).on('close', ended);
        peer.ping();
      });
      return `${said} ${[...new Set(pair.heard)].toSorted().join()}`;
    },
    close: async () => pair.close(),
  };
}
