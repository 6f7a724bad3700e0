/**
 * How two nodes prove to each other that they know the cluster secret: HMAC over both incarnations, a count and a nonce in the
 * upgrade request, and over that nonce and one of the other end in its answer. An incarnation is random per run and its counts only
 * grow, so a recorded upgrade opens nothing, ever. No clock is compared, because clocks of nodes differ. From secret, incarnations
 * and both nonces come the keys of this one link.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { newSecret } from '../kernel/ids.ts';
import type { LineKeys } from './sealed-line.ts';

/** Peers whose count is remembered; only who knows the secret can fill it, and an incarnation is one run of a node. */
const maxIncarnations = 10_000;

const incarnationHeader = 'x-trunkline-incarnation';
const nonceHeader = 'x-trunkline-nonce';
const answerHeader = 'x-trunkline-answer';

let hellosSaid = 0;

export interface Hello {
  incarnation: string;
  nodeId: string;
}

/** Request or response of an upgrade. */
export interface WithHeaders {
  headers: Record<string, string | string[] | undefined>;
}

/** Headers of the upgrade request from `self` to the node of incarnation `to`. */
export function helloHeaders(secret: string, self: Hello, to: string): Record<string, string> {
  const nonce = newSecret(18);
  hellosSaid += 1;
  const count = String(hellosSaid);
  return {
    'x-trunkline-node': self.nodeId,
    [incarnationHeader]: self.incarnation,
    'x-trunkline-count': count,
    [nonceHeader]: nonce,
    'x-trunkline-proof': proofOfHello(secret, self, to, count, nonce),
  };
}

/** The headers with which the node of incarnation `to` answers, and its keys of the link. */
export function answerTo(
  secret: string,
  to: string,
  request: WithHeaders,
): { headers: string[]; keys: LineKeys } {
  const nonces: Nonces = { asked: one(request, nonceHeader), answered: newSecret(18) };
  const { dialler, listener } = keysOf(secret, one(request, incarnationHeader), to, nonces);
  const headers = [
    `${nonceHeader}: ${nonces.answered}`,
    `${answerHeader}: ${proofOfAnswer(secret, to, nonces)}`,
  ];
  return { headers, keys: { ours: listener, theirs: dialler } };
}

/** The dialling end's keys of the link; null: who answered the handshake does not know the secret. */
export function answeredKeys(
  secret: string,
  to: string,
  hello: Record<string, string>,
  response: WithHeaders,
): LineKeys | null {
  const nonces: Nonces = { asked: hello[nonceHeader] ?? '', answered: one(response, nonceHeader) };
  if (!isSame(one(response, answerHeader), proofOfAnswer(secret, to, nonces))) return null;
  const { dialler, listener } = keysOf(secret, hello[incarnationHeader] ?? '', to, nonces);
  return { ours: dialler, theirs: listener };
}

interface Nonces {
  asked: string;
  answered: string;
}

function proofOfAnswer(secret: string, to: string, { asked, answered }: Nonces): string {
  return hmac(secret, 'answer', to, asked, answered).toString('hex');
}

/** What each end seals under. */
function keysOf(
  secret: string,
  from: string,
  to: string,
  { asked, answered }: Nonces,
): { dialler: Buffer; listener: Buffer } {
  const keyOf = (end: string): Buffer => hmac(secret, 'key', end, from, to, asked, answered);
  return { dialler: keyOf('dialler'), listener: keyOf('listener') };
}

export class Handshake {
  readonly #secret: string;
  readonly #incarnation: string;
  /** Highest count seen, by incarnation. */
  readonly #counts = new LRUCache<string, number>({ max: maxIncarnations });

  constructor(secret: string, incarnation: string) {
    this.#secret = secret;
    this.#incarnation = incarnation;
  }

  /** Who is calling; null when the proof is wrong or was used before. */
  check(request: WithHeaders): Hello | null {
    const nodeId = one(request, 'x-trunkline-node');
    const incarnation = one(request, incarnationHeader);
    const nonce = one(request, nonceHeader);
    const count = one(request, 'x-trunkline-count');
    const expected = proofOfHello(this.#secret, { nodeId, incarnation }, this.#incarnation, count, nonce);
    if (!isSame(one(request, 'x-trunkline-proof'), expected)) return null;
    return this.#isNext(incarnation, Number(count)) ? { nodeId, incarnation } : null;
  }

  #isNext(incarnation: string, count: number): boolean {
    if (!(count > (this.#counts.get(incarnation) ?? 0))) return false;
    this.#counts.set(incarnation, count);
    return true;
  }
}

function proofOfHello(secret: string, self: Hello, to: string, count: string, nonce: string): string {
  return hmac(secret, 'hello', self.nodeId, self.incarnation, to, count, nonce).toString('hex');
}

function hmac(secret: string, ...parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function one({ headers }: WithHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
