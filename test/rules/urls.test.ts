import { expect, test } from '@jest/globals';
import { isOnNetworks, isPublicHost, parseNetworks } from '../../src/rules/address.ts';
import { parseUrl, readUrl } from '../../src/rules/url.ts';
import { writeOrigin } from '../../src/rules/webhooks/url.ts';

const strict = { allowInsecure: false };

test.each([
  ['https://good.com/cb', 'https://good.com/cb'],
  ['HTTPS://GOOD.com:443', 'https://good.com/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
])('%j is read as %j', (text, href) => {
  expect(readUrl(text, strict)).toEqual({ url: new URL(href) });
});

test.each([
  ['https:good.com', 'must be a valid absolute URL'],
  ['https:good.com/?https://evil.example', 'must be a valid absolute URL'],
  ['https:///good.com', 'must be a valid absolute URL'],
  ['https://good.com:99999', 'must be a valid absolute URL'],
  ['https://go\nod.com', 'must not have spaces, control characters or backslashes'],
  ['https:\\\\good.com', 'must not have spaces, control characters or backslashes'],
  ['http://good.com', 'must be an HTTPS URL'],
  ['https://@good.com', 'must not have a user name or password'],
  [`https://${'a.'.repeat(127)}example:65535/`, 'must have a host name of at most 253 characters'],
  [`https://${'%E4%B8%80'.repeat(30)}.example/`, 'must have a host name of at most 253 characters'],
])('%j is not repaired: it %s', (text, problem) => {
  expect(readUrl(text, strict)).toEqual({ problem });
});

test('a Latin-1 host is read every time, however often it was read before', () => {
  const refused = Array.from({ length: 20_000 }, () => readUrl('https://bücher.example/', strict)).filter(
    (read) => 'problem' in read,
  );
  expect(refused).toHaveLength(0);
});

test('without encryption is HTTP and nothing else', () => {
  const insecure = { allowInsecure: true };
  expect(readUrl('http://good.com/', insecure)).toEqual({ url: new URL('http://good.com/') });
  expect(readUrl('ftp://good.com/', insecure)).toEqual({ problem: 'must be an HTTPS URL' });
});

test.each([
  ['good.com', true],
  ['good.com.', true],
  ['localhost', false],
  ['nas.local', false],
  ['api.internal', false],
  ['host.localdomain', false],
  ['router.lan', false],
  ['home.arpa', false],
  ['nas.home.arpa', false],
  ['nothome.arpa', true],
])('%s can be somebody’s on the internet: %j', (host, isPublic) => {
  expect(isPublicHost(host)).toBe(isPublic);
});

test.each([
  ['10.0.0.7', true],
  ['10.0.0.7.', true],
  ['192.168.0.7', false],
  ['[fd00::7]', true],
  ['[fc00::7]', false],
  ['hooks', true],
  ['hooks.', true],
  ['hooks..', false],
  ['localhost', false],
  ['localhost.', false],
  ['a.localhost', false],
])('%s can be of the networks that an operator allows: %j', (host, can) => {
  expect(isOnNetworks(host, parseNetworks(['10.0.0.0/8', 'fd00::/8']))).toBe(can);
});

test.each([
  ['10.0.0.7', true],
  ['fd00::7', true],
  ['fd00::7%eth0', false],
  ['hooks', false],
])('the address %s is of them: %j', (ip, is) => {
  expect(parseNetworks(['10.0.0.0/8', 'fd00::/8']).has(ip)).toBe(is);
});

test.each([
  ['https://good.com/a', 'https://good.com'],
  ['https://good.com./a', 'https://good.com'],
  ['http://good.com:8080/a', 'http://good.com:8080'],
])('the origin of %s is %s', (url, origin) => {
  expect(writeOrigin(new URL(url))).toBe(origin);
});

test('a host name may be as long as one can be, with the dot at its end and a port', () => {
  const longest = `${'a.'.repeat(123)}example`;
  expect(longest).toHaveLength(253);
  expect(readUrl(`https://${longest}.:65535/cb`, strict)).toEqual({
    url: new URL(`https://${longest}.:65535/cb`),
  });
});

test.each(['https://HOST/', 'https:/HOST', 'https:\\\\HOST?x', 'https:\t//\n/HOST#x', ' https:HOST'])(
  '[faults: I9] two thousand letters as a host, written %j, are not parsed',
  (form) => {
    const letters = Array.from({ length: 2_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
    );
    expect(parseUrl(form.replace('HOST', `${letters.join('')}.example`))).toBeNull();
  },
);
