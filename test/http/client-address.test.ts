/** [faults: 87] Which unknown callers the limits count as one. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { clientAddress } from '../../src/http/middleware/client-address.ts';

const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  // Only these parts of a request are read.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::7:0:0:1', '2001:db8:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%j is %j', (remote, expected) => {
  expect(clientAddress(from(remote), 0)).toBe(expected);
  expect(clientAddress(from('203.0.113.9', remote), 1)).toBe(remote === '' ? '203.0.113.9' : expected);
});

test('all notations of one /64 network are counted as one', () => {
  const spellings = Array.from({ length: 5_000 }, (_, n) => {
    const host = (n + 1).toString(16);
    return [`2001:db8::${host}:0:0:1`, `2001:db8:0:0:${host}::1`, `2001:db8::${host}:1`];
  }).flat();
  expect(new Set(spellings.map((each) => clientAddress(from(each), 0))).size).toBe(1);
});

test('without trusted proxies, headers do not name the client', () => {
  expect(clientAddress(from('203.0.113.9', '192.0.2.1'), 0)).toBe('203.0.113.9');
});

test.each([
  ['192.0.2.1:5678', '192.0.2.1'],
  ['[2001:db8:1:2::9]:5678', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['[::ffff:192.0.2.1]:5678', '192.0.2.1'],
  ['10.0.0.1, 192.0.2.1:5678', '192.0.2.1'],
  ['192.0.2.1:', '203.0.113.9'],
  ['192.0.2:5678', '203.0.113.9'],
  ['[192.0.2.1', '203.0.113.9'],
  ['[]:5678', '203.0.113.9'],
  ['unknown', '203.0.113.9'],
])('a proxy that names a port names the client: %s [faults: 525]', (forwarded, expected) => {
  expect(clientAddress(from('203.0.113.9', forwarded), 1)).toBe(expected);
});
