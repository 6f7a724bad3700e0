/** [architecture §5; faults: API5] The TLS of a link: who shares the secret gets through, and whoever does not is told why in words. */
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { explainTlsFailure, tlsClientOptions, tlsServerOptions } from '../../src/ownership/tls.ts';
import { until } from '../support/until.ts';

const secret = 'a-cluster-secret-of-the-tests-0001';

let server: tls.Server;
/** Names that the dialling ends gave. */
let named: string[];
/** Handshakes that failed here. */
let failed: Error[];
let port: number;

beforeEach(async () => {
  [named, failed] = [[], []];
  const options = tlsServerOptions(secret);
  const pskCallback = (_socket: tls.TLSSocket, identity: string) => {
    named.push(identity);
    return options.pskCallback();
  };
  server = tls.createServer({ ...options, pskCallback }, (socket) => socket.end('hello'));
  server.on('tlsClientError', (error) => void failed.push(error));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => void server.close());

/** Why its handshake failed, as it and as the listening node say it. */
async function refusal(options: tls.ConnectionOptions): Promise<(string | null)[]> {
  const socket = tls.connect({ host: '127.0.0.1', port, ...options });
  const [error] = await once(socket, 'error');
  const there = await until('the failure', () => failed[0]);
  return [explainTlsFailure(error), explainTlsFailure(there)];
}

describe('two nodes of one secret', () => {
  test('talk under keys of this link alone, which nothing resumes', async () => {
    const socket = tls.connect({ host: '127.0.0.1', port, ...tlsClientOptions(secret, 'node-a') });
    await once(socket, 'secureConnect');
    expect({
      cipher: socket.getCipher().name,
      protocol: socket.getProtocol(),
      exchange: socket.getEphemeralKeyInfo(),
      ticket: socket.getTLSTicket(),
    }).toMatchObject({
      cipher: 'ECDHE-PSK-CHACHA20-POLY1305',
      protocol: 'TLSv1.2',
      exchange: { type: 'ECDH', name: 'X25519' },
      ticket: undefined,
    });
    const [bytes] = await once(socket, 'data');
    expect([String(bytes), named]).toEqual(['hello', ['node-a']]);
  });

  test('derive the same key in every release', () => {
    const key = tlsServerOptions(secret).pskCallback().toString('hex');
    expect(key).toBe('6e840413032f780974a87457c7d2ae8beb843f3cd3859a3e906ef0a0c038e35a');
    expect(tlsClientOptions(secret, 'node-a').pskCallback().psk.toString('hex')).toBe(key);
  });
});

describe('a handshake that fails is explained', () => {
  const differs = 'its CLUSTER_SECRET differs from ours';
  const showsNone = 'it shows no CLUSTER_SECRET: it is no node, or of another build';
  const speaksNoTls = 'it speaks no TLS: it is no node, or of an older build';

  test('where the secrets differ, at both ends', async () => {
    expect(await refusal(tlsClientOptions('another secret', 'node-a'))).toEqual([differs, differs]);
  });

  test('where a peer shows no secret, at both ends', async () => {
    expect(await refusal({ rejectUnauthorized: false, maxVersion: 'TLSv1.2' })).toEqual([
      showsNone,
      showsNone,
    ]);
  });

  test.each(['GET / HTTP/1.1\r\n\r\n', 'nothing that anybody speaks\r\n'])(
    'where a peer speaks no TLS: %j',
    async (says) => {
      const socket = net.connect({ host: '127.0.0.1', port }, () => socket.end(says));
      socket.on('error', () => undefined);
      expect(explainTlsFailure(await until('the failure', () => failed[0]))).toBe(speaksNoTls);
    },
  );

  test('as nothing but cut where it was merely cut', async () => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.end());
    expect(explainTlsFailure(await until('the failure', () => failed[0]))).toBeNull();
  });
});
