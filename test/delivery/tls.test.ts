import { describe, expect, test } from '@jest/globals';
import { createServer as createPlainServer } from 'node:net';
import { createServer } from 'node:tls';
import { closeAfterEach } from '../support/closing.ts';
import { authority, expired, key, selfSigned, valid } from './certificates.ts';
import { makePoster, plain, postTo, receiver } from './receivers.ts';

const closeLater = closeAfterEach();

async function attempt(
  cert: string,
  options: { host?: string; maxVersion?: 'TLSv1.1'; trusted?: boolean } = {},
) {
  const target = await receiver(plain('200 OK'), (onSocket) =>
    createServer({ cert, key, maxVersion: options.maxVersion, minVersion: options.maxVersion }, onSocket).on(
      'tlsClientError',
      () => {},
    ),
  );
  closeLater(() => target.close());
  const made = makePoster({
    lookup: async () => ['127.0.0.1'],
    ...(options.trusted === false ? {} : { ca: authority }),
  });
  closeLater(() => made.poster.close());
  const url = `https://${options.host ?? 'receiver.test'}:${target.port}/`;
  return { result: await made.poster.post(postTo(url)), requests: target.requests };
}

describe('TLS is verified, always [faults: 57]', () => {
  test('a certificate of a trusted authority for this name delivers', async () => {
    expect((await attempt(valid)).result).toEqual({ ok: true, status: 200 });
  });

  test.each([
    ['self-signed', 'certificate_chain', selfSigned, {}],
    ['expired', 'certificate_expired', expired, {}],
    ['of another name', 'certificate_name', valid, { host: 'other.test' }],
    ['of an authority the system does not know', 'certificate_chain', valid, { trusted: false }],
  ])('a certificate that is %s fails, and nothing is sent', async (_, word, cert, options) => {
    const { result, requests } = await attempt(cert, options);

    expect(result).toEqual({ ok: false, status: null, reason: word });
    expect(requests).toEqual([]);
  });

  test('a port of plain HTTP is named as such', async () => {
    const target = await receiver(
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      () =>
        createPlainServer((socket) => {
          socket.on('error', () => undefined);
          socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
        }),
    );
    closeLater(() => target.close());
    const made = makePoster({ lookup: async () => ['127.0.0.1'] });
    closeLater(() => made.poster.close());
    const result = await made.poster.post(postTo(`https://receiver.test:${target.port}/`));
    expect(result).toEqual({ ok: false, status: null, reason: 'no_tls' });
  });
});
