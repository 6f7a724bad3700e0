/**
 * TLS between two nodes, under a key that both derive from the cluster secret, without certificates. A peer without the secret fails in the
 * handshake. Each link has keys of its own from an ephemeral exchange (X25519), so a leaked secret does not decrypt recorded traffic. TLS
 * 1.3 with a pre-shared key has no such exchange in Node. [faults: API5]
 */
import { constants, hkdfSync } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

const common: SecureContextOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  ecdhCurve: 'X25519',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  // A session ticket would keep the keys of a link beyond its end.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

const handshakeMs = 2_000;

/** Options for `https.createServer`. */
export function tlsServerOptions(
  secret: string,
): SecureContextOptions & { handshakeTimeout: number; pskCallback: () => Buffer } {
  const key = deriveKey(secret);
  return { ...common, handshakeTimeout: handshakeMs, pskCallback: () => key };
}

/** The client's options. `identity`: the name of the dialling node, readable on the wire. */
export function tlsClientOptions(secret: string, identity: string) {
  const psk = deriveKey(secret);
  return {
    ...common,
    handshakeTimeout: handshakeMs,
    pskCallback: () => ({ psk, identity }),
    checkServerIdentity: () => undefined, // there is no certificate: the key proves the identity
  };
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'trunkline links', 32));
}

/** OpenSSL's messages for a failed handshake, as either end gets them; the rest of each message differs between versions. */
const reasons: readonly [RegExp, string][] = [
  [/bad record mac/i, 'its CLUSTER_SECRET differs from ours'],
  [/no shared cipher|handshake failure/i, 'it shows no CLUSTER_SECRET: it is no node, or of another build'],
  [/http request|wrong version number/i, 'it speaks no TLS: it is no node, or of an older build'],
];

/** A readable reason why the handshake failed; null: the connection was merely cut. */
export function explainTlsFailure({ message }: Error): string | null {
  return reasons.find(([words]) => words.test(message))?.[1] ?? null;
}
