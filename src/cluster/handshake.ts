/**
 * How two nodes prove to each other that they know the cluster secret: HMAC over both incarnations, a count and a nonce in the
 * upgrade request, and over the nonce in its answer. An incarnation is random per run and its counts only grow, so a recorded
 * upgrade opens nothing, ever. No clock is compared, because clocks of nodes differ.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { newSecret } from '../kernel/ids.ts';

/** Peers whose count is remembered; only who knows the secret can fill it, and an incarnation is one run of a node. */
const maxIncarnations = 10_000;

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
    'x-trunkline-incarnation': self.incarnation,
    'x-trunkline-count': count,
    'x-trunkline-nonce': nonce,
    'x-trunkline-proof': hmac(secret, 'hello', self.nodeId, self.incarnation, to, count, nonce),
  };
}

/** The header with which the node of incarnation `to` answers. */
export function answerHeader(secret: string, to: string, request: WithHeaders): string {
  return `x-trunkline-answer: ${hmac(secret, 'answer', to, one(request, 'x-trunkline-nonce'))}`;
}

/** Whether who answered the handshake knows the secret too. */
export function isAnswered(
  secret: string,
  to: string,
  hello: Record<string, string>,
  response: WithHeaders,
): boolean {
  const expected = hmac(secret, 'answer', to, hello['x-trunkline-nonce'] ?? '');
  return isSame(one(response, 'x-trunkline-answer'), expected);
}

export class Handshake {
  readonly #secret: string;
  readonly #incarnation: string;
  /** Highest count seen, by incarnation. */
  readonly #counts = new Map<string, number>();

  constructor(secret: string, incarnation: string) {
    this.#secret = secret;
    this.#incarnation = incarnation;
  }

  /** Who is calling; null when the proof is wrong or was used before. */
  check(request: WithHeaders): Hello | null {
    const nodeId = one(request, 'x-trunkline-node');
    const incarnation = one(request, 'x-trunkline-incarnation');
    const nonce = one(request, 'x-trunkline-nonce');
    const count = one(request, 'x-trunkline-count');
    const expected = hmac(this.#secret, 'hello', nodeId, incarnation, this.#incarnation, count, nonce);
    if (!isSame(one(request, 'x-trunkline-proof'), expected)) return null;
    return this.#isNext(incarnation, Number(count)) ? { nodeId, incarnation } : null;
  }

  #isNext(incarnation: string, count: number): boolean {
    if (!(count > (this.#counts.get(incarnation) ?? 0))) return false;
    this.#counts.delete(incarnation); // to the end of the order of use
    this.#counts.set(incarnation, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxIncarnations && oldest !== undefined) this.#counts.delete(oldest);
    return true;
  }
}

function hmac(secret: string, ...parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function one({ headers }: WithHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
