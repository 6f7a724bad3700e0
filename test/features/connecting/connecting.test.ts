import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { patternProblem, matchesPattern } from '../../../src/features/redirects/redirect-pattern.ts';
import { ownParamIn, redirectUriProblem, withParams } from '../../../src/features/redirects/redirect-uri.ts';

const strict = { allowInsecure: false };
const insecure = { allowInsecure: true };

function uriOf(name: string, path: readonly string[]): string {
  return `https://${name}.example/${path.join('/')}`;
}

describe('uri_pattern', () => {
  test.each([
    'https://example.com/callback',
    'https://example.com/*',
    'https://*.example.com/*',
    'https://*.a.example.com/x/*/y',
    'https://*.shop.co.uk/cb',
    'https://example.com:8443/cb',
    'https://EXAMPLE.com/cb',
    'https://*.bücher.example/cb',
    'https://example.com',
    'https://pr-*.example.com/cb',
    'https://*-preview.app.vercel.app/cb',
    'https://a.*.example.com/cb',
    'https://*.*.example.com/cb',
    'https://*.my-site.github.io/*',
    'https://example.com/cb*',
    'https://example.com/a*b/c',
  ])('%j can be whitelisted', (pattern) => {
    expect(patternProblem(pattern, strict)).toBeNull();
  });

  test.each([
    ['http://example.com/cb', 'HTTPS'],
    ['javascript:alert(1)', 'HTTPS'],
    ['*', 'valid'],
    ['https:example.com', 'valid'],
    ['https://*', 'registrable domain'],
    ['https://*/*', 'registrable domain'],
    ['https://*.com/*', 'registrable domain'],
    ['https://*.%63om/*', 'registrable domain'],
    ['https://localhost/cb', 'two labels'],
    ['https://*.co.uk/*', 'registrable domain'],
    ['https://*.com.au/*', 'registrable domain'],
    ['https://*.github.io/*', 'registrable domain'],
    ['https://*.GitHub.io/*', 'registrable domain'],
    ['https://*.org.za/*', 'registrable domain'],
    ['https://*.kawasaki.jp/*', 'registrable domain'],
    ['https://*.公司.cn/*', 'registrable domain'],
    ['https://*.vercel.app/*', 'registrable domain'],
    ['https://*.s3.eu-west-1.amazonaws.com/*', 'registrable domain'],
    ['https://a.*.compute.amazonaws.com/*', 'registrable domain'],
    ['https://good.com.*', 'registrable domain'],
    ['https://good.*.com/', 'registrable domain'],
    ['https://*good.com', 'registrable domain'],
    ['https://%2agood.com', 'registrable domain'],
    ['https://＊good.com', 'registrable domain'],
    ['https://a*a*a*a*a.com/*', 'one wildcard'],
    ['https://**.good.com', 'one wildcard'],
    ['https://a*b*.good.com', 'one wildcard'],
    ['https://bü*.good.com', 'plain ASCII'],
    ['https://user@good.com/*', 'user name'],
    ['https://@good.com/*', 'user name'],
    ['https://good.com:*/cb', 'valid'],
    ['https://good.com/cb#x', 'fragment'],
    ['https://good.com/cb#', 'fragment'],
    ['https://good.com/cb?x=*', 'query'],
    ['https://good.com/cb?', 'query'],
    ['https://good.com/**', 'one wildcard'],
    ['https://good.com/a*b*/c', 'one wildcard'],
    ['https://good.com/%2f..', 'encoded'],
    ['https://good.com./cb', 'empty label'],
    ['https://*..good.com/cb', 'empty label'],
    ['https://good.com\n/cb', 'control'],
    ['https://good.com\\@evil.com/', 'backslashes'],
    [`https://good.com/${'x'.repeat(2_048)}`, 'characters'],
  ])('%j is refused: %s', (pattern, word) => {
    expect(patternProblem(pattern, strict)).toContain(word);
  });

  test('http and localhost are for development only, and a wildcard stays below the registrable domain', () => {
    expect(patternProblem('http://localhost:5173/*', insecure)).toBeNull();
    expect(patternProblem('http://*.com/*', insecure)).toContain('registrable domain');
  });
});

describe('redirect_uri against a pattern', () => {
  test.each([
    ['https://good.com/cb', 'https://good.com/cb'],
    ['https://good.com/cb', 'https://GOOD.com:443/cb'],
    ['https://good.com/cb', 'https://good.com/cb?tenant=7'],
    ['https://good.com/cb', 'https://good.com/x/../cb'],
    ['https://good.com', 'https://good.com/'],
    ['https://good.com/*', 'https://good.com'],
    ['https://good.com/*', 'https://good.com/a/b/c'],
    ['https://good.com/cb/*', 'https://good.com/cb/'],
    ['https://good.com/*/cb', 'https://good.com/a/cb'],
    ['https://good.com/*/x/*', 'https://good.com/a/x/y/z'],
    ['https://*.good.com/*', 'https://a.good.com/cb'],
    ['https://pr-*.good.com/cb', 'https://pr-17.good.com/cb'],
    ['https://pr-*.good.com/cb', 'https://PR-17.good.com/cb'],
    ['https://pr-*-web.good.com/cb', 'https://pr-17-web.good.com/cb'],
    ['https://a.*.good.com/cb', 'https://a.b.good.com/cb'],
    ['https://*.*.good.com/cb', 'https://a.b.good.com/cb'],
    ['https://good.com/cb*', 'https://good.com/cb'],
    ['https://good.com/cb*', 'https://good.com/cb-2'],
    ['https://good.com/a*b/c', 'https://good.com/a-b/c'],
    ['https://good.com/a*/*', 'https://good.com/ab/c/d'],
    ['https://*.bücher.example/cb', 'https://a.xn--bcher-kva.example/cb'],
    ['https://good.com:8443/cb', 'https://good.com:8443/cb'],
    ['http://localhost:5173/*', 'http://localhost:5173/cb'],
  ])('%j allows %j', (pattern, uri) => {
    expect(matchesPattern(pattern, uri)).toBe(true);
  });

  test.each([
    ['https://good.com/cb', 'https://good.com/cb/'],
    ['https://good.com/cb', 'https://good.com/CB'],
    ['https://good.com/cb', 'http://good.com/cb'],
    ['https://good.com/cb', 'https://good.com:8443/cb'],
    ['https://good.com/cb', 'https://good.com./cb'],
    ['https://good.com/cb', 'https://a.good.com/cb'],
    ['https://good.com/cb', 'https://good.com/cb#x'],
    ['https://good.com/cb', 'https://user@good.com/cb'],
    ['https://good.com/cb/*', 'https://good.com/cb'],
    ['https://good.com/cb/*', 'https://good.com/cbx/a'],
    ['https://good.com/cb/*', 'https://good.com/cb/../admin'],
    ['https://good.com/cb/*', 'https://good.com/cb/%2e%2e/admin'],
    ['https://good.com/cb/*', 'https://good.com/cb/..%2fadmin'],
    ['https://good.com/cb/*', 'https://good.com/cb/..%5Cadmin'],
    ['https://good.com/*/cb', 'https://good.com/a/b/cb'],
    ['https://good.com/*/cb', 'https://good.com//cb'],
    ['https://*.good.com/*', 'https://good.com/cb'],
    ['https://*.good.com/*', 'https://a.b.good.com/cb'],
    ['https://*.good.com/*', 'https://evilgood.com/cb'],
    ['https://*.good.com/*', 'https://good.com.evil.com/cb'],
    ['https://*.good.com/*', 'https://evil.com/a.good.com/cb'],
    ['https://*.good.com/*', 'https://evil.com\\.good.com/cb'],
    ['https://*.good.com/*', 'https://evil.com#.good.com/'],
    ['https://*.good.com/*', 'https://*.good.com/cb'],
    ['https://*.good.com/*', 'https://.good.com/cb'],
    ['https://*.good.com/*', 'javascript:alert(1)//a.good.com/'],
    ['https://pr-*.good.com/cb', 'https://pr-17.evil.com/cb'],
    ['https://pr-*.good.com/cb', 'https://pr-1.7.good.com/cb'],
    ['https://pr-*.good.com/cb', 'https://xpr-17.good.com/cb'],
    ['https://pr-*.good.com/cb', 'https://pr-evil.com/.good.com/cb'],
    ['https://ab*ba.good.com/cb', 'https://aba.good.com/cb'],
    ['https://a.*.good.com/cb', 'https://b.a.good.com/cb'],
    ['https://*.*.good.com/cb', 'https://a.good.com/cb'],
    ['https://good.com/cb*', 'https://good.com/cb/a'],
    ['https://good.com/a*b/c', 'https://good.com/ac/b/c'],
    ['https://good.com/ab*ba/c', 'https://good.com/aba/c'],
    ['https://*.com/*', 'https://evil.com/'],
    // A wildcard that happens to match a public suffix would admit foreign sites.
    ['https://mine.s*.amazonaws.com/cb', 'https://mine.s3.amazonaws.com/cb'],
    ['https://*.*.amazonaws.com/cb', 'https://evil.s3.amazonaws.com/cb'],
    ['https://*good.com/*', 'https://evilgood.com/'],
    ['not a pattern', 'not a pattern'],
  ])('%j does not allow %j', (pattern, uri) => {
    expect(matchesPattern(pattern, uri)).toBe(false);
  });

  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const segments = fc.array(fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/), { maxLength: 5 });

  test('a wildcard pattern allows every label before its domain, whatever the path', () => {
    fc.assert(
      fc.property(label, label, segments, (sub, domain, path) => {
        const uri = `https://${sub}.${domain}.example/${path.join('/')}`;
        expect(matchesPattern(`https://*.${domain}.example/*`, uri)).toBe(true);
      }),
    );
  });

  test('an exact pattern allows itself, and no other path or host', () => {
    fc.assert(
      fc.property(label, segments, label, segments, (host, path, otherHost, otherPath) => {
        const pattern = uriOf(host, path);
        expect(matchesPattern(pattern, pattern)).toBe(true);
        const other = uriOf(otherHost, otherPath);
        expect(matchesPattern(pattern, other)).toBe(pattern === other);
      }),
    );
  });

  test('everything that a wildcard pattern allows is on its domain', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'a.@/\\:?#%2f*gode m\n'.split('')), maxLength: 30 });
    fc.assert(
      fc.property(hostile, hostile, (before, after) => {
        for (const uri of [
          `https://${before}.good.com${after}`,
          `https://${before}good.com${after}`,
          before + after,
        ]) {
          if (!matchesPattern('https://*.good.com/*', uri)) continue;
          expect(new URL(uri).hostname).toMatch(/^[^.]+\.good\.com$/);
          expect(new URL(uri).protocol).toBe('https:');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    `https://${'a*'.repeat(500_000)}.com/*`,
    `https://good.com/${'*/'.repeat(500_000)}`,
    `https://good.com/${'*/'.repeat(1_000)}x`,
    '*'.repeat(1_000_000),
    `https://${'*.'.repeat(1_000)}com`,
    `https://good.com/${'a*'.repeat(1_000)}`,
  ])('a hostile pattern ends, and matches nothing (%#)', (pattern) => {
    // A matcher worse than linear would not end before jest's timeout.
    const uri = `https://good.com/${'a/'.repeat(500_000)}b`;
    expect(() => patternProblem(pattern, strict)).not.toThrow(RangeError);
    expect(matchesPattern(pattern, uri)).toBe(false);
    expect(() => matchesPattern(pattern, uri.slice(0, 2_000))).not.toThrow();
    expect(redirectUriProblem(uri, strict)).not.toBeNull();
  });
});

describe('redirect_uri', () => {
  test.each([
    'https://good.com',
    'https://good.com/cb?tenant=7',
    'https://good.com/cb?Code=1',
    'https://good.com/cb?state=mine&scope=a%20b',
    'https://good.com/code',
  ])('%j can be redirected to', (uri) => {
    expect(redirectUriProblem(uri, strict)).toBeNull();
    expect(ownParamIn(uri)).toBeNull();
  });

  test.each([
    ['https://good.com/cb?code=1', 'code'],
    ['https://good.com/cb?%63ode=1', 'code'],
    ['https://good.com/cb?a=1&error_description', 'error_description'],
    ['https://good.com/cb?state=x&error=x', 'error'],
  ])('%j would return with %s twice', (uri, param) => {
    expect(ownParamIn(uri)).toBe(param);
  });

  test.each([
    ['javascript:alert(1)', 'HTTPS'],
    ['data:text/html,x', 'HTTPS'],
    ['http://good.com/cb', 'HTTPS'],
    ['/cb', 'valid'],
    ['https://good.com/cb#', 'fragment'],
    ['https://*.good.com/cb', 'wildcard'],
    ['https://me@good.com/cb', 'user name'],
    ['https://good.com/cb\r\nX: y', 'control'],
  ])('%j is refused: %s', (uri, word) => {
    expect(redirectUriProblem(uri, strict)).toContain(word);
  });

  test('http is for development only', () => {
    expect(redirectUriProblem('http://localhost:5173/cb', insecure)).toBeNull();
  });
});

describe('the redirect at the end of the setup flow', () => {
  test.each([
    ['https://good.com/cb', { code: 'a b&c=d#e' }, 'https://good.com/cb?code=a+b%26c%3Dd%23e#'],
    ['https://good.com/cb?t=%20x', { code: '1' }, 'https://good.com/cb?t=%20x&code=1#'],
    ['https://good.com/cb?state=mine&a', { code: '1' }, 'https://good.com/cb?state=mine&a&code=1#'],
    [
      'https://good.com',
      { error: 'access_denied', error_description: 'No' },
      'https://good.com/?error=access_denied&error_description=No#',
    ],
    ['https://good.com/cb?', { code: '1' }, 'https://good.com/cb?code=1#'],
  ])('%j with %j is %j', (uri, params, expected) => {
    expect(withParams(uri, params)).toBe(expected);
  });
});

test('an invalid pattern allows nothing', () => {
  expect(matchesPattern('https://a.example.com/x?y', 'https://a.example.com/x')).toBe(false);
  expect(matchesPattern('https://a.example.com/x', 'https://a.example.com/x')).toBe(true);
});
