/** [spec: Additions, Endpoints] Headers that an account adds to the POSTs of an endpoint. */
import { expect, test } from '@jest/globals';
import { isOfEndpoint, ownerOf, readOwner } from '../../src/rules/webhooks/endpoints.ts';
import {
  headerProblem,
  headersProblem,
  maxOwnHeadersBytes,
  readHeaders,
  writeHeaders,
} from '../../src/rules/webhooks/own-headers.ts';
import { hopHeader } from '../../src/rules/webhooks/url.ts';

const ofService = 'this header belongs to the connection or to the service';

test.each(['Authorization', 'X-Api-Key', 'x_tenant', "!#$%&'*+.^`|~-", 'Accept', 'Via'])(
  'a receiver may get %s',
  (name) => {
    expect(headerProblem(name, 'Bearer a b=c;~')).toBeNull();
  },
);

test.each([
  'Connection', 'keep-alive', 'Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer', 'Transfer-Encoding',
  'Upgrade', 'Expect', 'Host', 'Content-Length', 'content-type', 'Content-Encoding', 'X-Webhook-Id', 'X-WEBHOOK-Anything', 'webhook-id',
  'webhook-signature', 'X-Request-Id', 'traceparent', 'Tracestate', 'User-Agent', hopHeader,
])('%s is refused', (name) => {
  expect(headerProblem(name, 'a')).toBe(ofService);
}); // oxfmt-ignore

test.each(['', 'a b', 'a:b', 'é', 'a\r\nHost', 'a\0', 'a/b', 'a(b)'])('%j is no name', (name) => {
  expect(headerProblem(name, 'a')).toBe(
    'the name of a header has letters, digits and the signs of a token only',
  );
});

test.each(['', ' a', 'a ', '\ta', 'a\tb', 'a\r\nX-Webhook-Id: 1', 'é', 'a\0b', 'a\u007f'])(
  '%j is no value',
  (value) => {
    expect(headerProblem('X-A', value)).toBe(
      'the value must be printable ASCII, not empty, without a space at either end',
    );
  },
);

test('ten headers, each once, 4 KB together', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => [`X-${n}`, 'v'] as const);
  expect(headersProblem(many(10))).toBeNull();
  expect(headersProblem(many(11))).toBe('at most 10 headers');
  const twice = [
    ['X-A', '1'],
    ['x-a', '2'],
  ] as const;
  expect(headersProblem(twice)).toBe('a header is named twice');
  const long = (length: number) => [['X-A', 'v'.repeat(length)]] as const;
  expect(headersProblem(long(maxOwnHeadersBytes - 3))).toBeNull();
  expect(headersProblem(long(maxOwnHeadersBytes - 2))).toBe(
    'at most 4096 bytes of names and values together',
  );
});

test('they are read as they were written', () => {
  const headers = [
    ['X-A', '"1", 2'],
    ['__proto__', 'b'],
  ] as const;
  expect(readHeaders(writeHeaders(headers))).toEqual(['X-A', '"1", 2', '__proto__', 'b']);
});

test('the owner of an endpoint is named by channel and endpoint', () => {
  expect(readOwner(ownerOf('c-1', 'e-1'))).toEqual({ channelId: 'c-1', endpointId: 'e-1' });
  expect(readOwner(ownerOf('c-1', null))).toEqual({ channelId: 'c-1', endpointId: null });
  expect(isOfEndpoint(ownerOf('c-1', 'e-1'))).toBe(true);
  expect(isOfEndpoint('c-1')).toBe(false);
});
