/**
 * What protects the line between two nodes: TLS under a key that both make from the cluster secret, without certificates. Who does not
 * know the secret gets no further than the handshake. Each link has keys of its own from an ephemeral exchange (X25519): a secret that
 * leaks opens nothing that was recorded before. TLS 1.3 with a pre-shared key of ours has no such exchange in Node. [faults: API5]
 */
import { constants, hkdfSync } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

const line: SecureContextOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  ecdhCurve: 'X25519',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  // A ticket would carry the keys of a link beyond its end.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

const handshakeMs = 2_000;

/** For `https.createServer`. */
export function listeningLine(
  secret: string,
): SecureContextOptions & { handshakeTimeout: number; pskCallback: () => Buffer } {
  const key = deriveKey(secret);
  return { ...line, handshakeTimeout: handshakeMs, pskCallback: () => key };
}

/** The client's options, under the name of the dialling node, which is readable on the wire. */
export function diallingLine(secret: string, identity: string) {
  const psk = deriveKey(secret);
  return {
    ...line,
    handshakeTimeout: handshakeMs,
    pskCallback: () => ({ psk, identity }),
    checkServerIdentity: () => undefined, // no certificate: the key is who it is
  };
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'trunkline links', 32));
}

/** OpenSSL's words for a handshake that failed, as either end reads them: versions differ in the rest of the sentence. */
const reasons: readonly [RegExp, string][] = [
  [/bad record mac/i, 'its CLUSTER_SECRET differs from ours'],
  [/no shared cipher|handshake failure/i, 'it shows no CLUSTER_SECRET: it is no node, or of another build'],
  [/http request|wrong version number/i, 'it speaks no TLS: it is no node, or of an older build'],
];

/** Why two nodes do not understand each other, for people; null: the line was merely cut. */
export function whyRefused({ message }: Error): string | null {
  return reasons.find(([words]) => words.test(message))?.[1] ?? null;
}
