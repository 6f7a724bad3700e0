/**
 * How two nodes prove to each other that they know the cluster secret: HMAC over both sessions and a nonce in the upgrade
 * request. Sessions are random per run and a nonce is taken once, so that a recorded upgrade opens nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newSecret } from '../kernel/ids.ts';

const mostNonces = 10_000;

export interface Hello {
  session: string;
  nodeId: string;
}

export function helloHeaders(secret: string, self: Hello, to: string): Record<string, string> {
  const nonce = newSecret(18);
  return {
    'x-trunkline-node': self.nodeId,
    'x-trunkline-session': self.session,
    'x-trunkline-nonce': nonce,
    'x-trunkline-proof': proof(secret, self, to, nonce),
  };
}

/** Who is calling; null when the proof is wrong or was used before. */
export class HelloGuard {
  readonly #secret: string;
  readonly #session: string;
  readonly #nonces = new Set<string>();

  constructor(secret: string, session: string) {
    this.#secret = secret;
    this.#session = session;
  }

  check(request: IncomingMessage): Hello | null {
    const nodeId = one(request, 'x-trunkline-node');
    const session = one(request, 'x-trunkline-session');
    const nonce = one(request, 'x-trunkline-nonce');
    const given = Buffer.from(one(request, 'x-trunkline-proof'));
    const expected = Buffer.from(proof(this.#secret, { nodeId, session }, this.#session, nonce));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    if (nonce.length < 16 || this.#nonces.has(nonce)) return null;
    if (this.#nonces.size >= mostNonces) this.#nonces.clear();
    this.#nonces.add(nonce);
    return { nodeId, session };
  }
}

function proof(secret: string, from: Hello, to: string, nonce: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([from.nodeId, from.session, to, nonce]))
    .digest('hex');
}

function one(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}
