import { expect, test } from '@jest/globals';
import { readUrl } from '../../src/domain/urls/read-url.ts';

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
  ['https:///good.com', 'must be a valid absolute URL'],
  ['https://good.com:99999', 'must be a valid absolute URL'],
  ['https://go\nod.com', 'must not have spaces, control characters or backslashes'],
  ['https:\\\\good.com', 'must not have spaces, control characters or backslashes'],
  ['http://good.com', 'must be an HTTPS URL'],
  ['https://@good.com', 'must not have a user name or password'],
])('%j is not repaired: it %s', (text, problem) => {
  expect(readUrl(text, strict)).toEqual({ problem });
});

test('a Latin-1 host is read every time, however often it was read before', () => {
  const refused = Array.from({ length: 20_000 }, () => readUrl('https://bücher.example/', strict)).filter(
    (read) => 'problem' in read,
  );
  expect(refused).toHaveLength(0);
});
