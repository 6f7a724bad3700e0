import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { minuteMs } from '../../src/kernel/clock.ts';
import { isForbiddenAddress, parseNetworks, noNetworks } from '../../src/rules/address.ts';
import { mailAfter, nextAttempt, triedForMs } from '../../src/rules/webhooks/retry.ts';
import { signBody } from '../../src/rules/webhooks/signature.ts';
import { webhookTargetProblem, webhookUrlProblem } from '../../src/rules/webhooks/url.ts';

const strict = { allowInsecure: false, allowedNetworks: noNetworks };
const insecure = { allowInsecure: true, allowedNetworks: noNetworks };

describe('webhook_url', () => {
  describe('on networks that an operator allows', () => {
    const rules = {
      allowInsecure: false,
      allowedNetworks: parseNetworks(['10.1.0.0/16', 'fd00::/8', '0.0.0.0/0']),
    };

    test.each([
      'https://10.1.2.3/hook',
      'https://[fd00::1]:8443/',
      'https://hooks.corp.internal/a',
      'https://receiver/',
    ])('%s is taken', (url) => {
      expect([webhookTargetProblem(url, rules), webhookTargetProblem(url, strict)]).toEqual([
        null,
        expect.stringContaining('private'),
      ]);
    });

    test.each([
      'http://10.1.2.3/hook',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://localhost/',
      'https://localhost./',
      'https://a.localhost/',
      'https://169.254.169.254/latest/',
      'https://[::1]/',
      'https://[::ffff:a01:203]/',
      'https://[fc00::1]/',
      'https://a..corp/',
    ])('%s is not', (url) => {
      expect(webhookTargetProblem(url, rules)).toMatch(/^webhook_url /);
    });
  });

  test.each([
    'https://example.com',
    'https://example.com/hooks?x=1@2',
    'HTTPS://EXAMPLE.COM:443/',
    'https://hooks.example.co.uk:8443/a',
    'https://hooks.example.co.uk:22/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
    'https://local.example.com',
    'https://example.com./hook',
  ])('%j is taken', (url) => {
    expect(webhookTargetProblem(url, strict)).toBeNull();
  });

  test.each([
    ['http://example.com', 'HTTPS'],
    ['ftp://example.com', 'HTTPS'],
    ['javascript:alert(1)', 'HTTPS'],
    ['', 'valid'],
    ['example.com', 'valid'],
    ['https:example.com', 'valid'],
    ['https:///example.com', 'valid'],
    ['https://', 'valid'],
    ['https://user@example.com', 'user name'],
    ['https://user:pw@example.com', 'user name'],
    ['https://@example.com', 'user name'],
    ['https://exa\nmple.com', 'control'],
    ['https://example.com\t', 'control'],
    ['https://example.com\\@127.0.0.1', 'backslashes'],
    ['https://example.com/\u0000', 'control'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'characters'],
  ])('%j is refused: %s', (url, word) => {
    expect(webhookTargetProblem(url, strict)).toMatch(/^webhook_url /);
    expect(webhookTargetProblem(url, strict)).toContain(word);
  });

  test.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://127.1',
    'https://0177.0.0.1',
    'https://１２７.０.０.１',
    'https://127.0.0.1.',
    'https://0',
    'https://10.1.2.3',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:7f00:1]',
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://localhost',
    'https://localhost.',
    'https://LOCALHOST:8443',
    'https://%6cocalhost',
    'https://a.localhost',
    'https://printer.local',
    'https://printer.local.',
    'https://metadata.google.internal',
    'https://intranet',
    'https://a..example.com',
  ])(
    '%j is refused: loopback, private or reserved, and taken where insecure receivers are allowed',
    (url) => {
      expect(webhookTargetProblem(url, strict)).toBe(
        'webhook_url must not target a loopback, private or reserved address',
      );
      expect(webhookTargetProblem(url, insecure)).toBeNull();
    },
  );

  test.each([
    ['https://api.trunkline.example/hook', 'must not point at this service'],
    ['https://API.trunkline.example.:443/', 'must not point at this service'],
    ['https://api.trunkline.example:8443/', null],
    ['https://receiver.example/', null],
    ['no address', expect.stringMatching(/^webhook_url must/)],
    ['http://api.trunkline.example/', expect.stringMatching(/^webhook_url must/)],
  ])('%s, where the service itself is: %s [faults: 90]', (url, problem) => {
    const ownUrls = ['https://internal.example', 'https://api.trunkline.example'];
    expect(webhookUrlProblem(url, { ...strict, ownUrls })).toEqual(problem);
  });

  test('insecure receivers may use http and any port, and still no user name', () => {
    expect(webhookTargetProblem('http://127.0.0.1:80/hook', insecure)).toBeNull();
    expect(webhookTargetProblem('http://user@127.0.0.1/', insecure)).toContain('user name');
  });

  test('whatever is taken is HTTPS, has no user info, and names no forbidden address', () => {
    const url = fc.oneof(
      fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true }),
      fc.ipV4Extended().map((host) => `https://${host}/`),
      fc.ipV6().map((host) => `https://[${host}]/`),
      fc.nat(2 ** 32 - 1).map((host) => `https://${host}/`),
      fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
      fc.string(),
    );
    fc.assert(
      fc.property(url, (candidate) => {
        if (webhookTargetProblem(candidate, strict) !== null) return;
        const { protocol, username, password, hostname } = new URL(candidate);
        expect([protocol, username, password]).toEqual(['https:', '', '']);
        const literal = /^(?:\[(?<v6>.*)\]|(?<v4>[0-9.]+))$/.exec(hostname)?.groups;
        if (literal !== undefined)
          expect(isForbiddenAddress(literal['v6'] ?? literal['v4'] ?? '')).toBe(false);
      }),
    );
  });

  test.each(['a.', '@', '%', '[', '٠', '\\'])('a megabyte of %j is refused', (piece) => {
    const hostile = `https://${piece.repeat(1_000_000)}`;
    expect(webhookTargetProblem(hostile, strict)).not.toBeNull();
  });
});

describe('addresses a webhook never goes to', () => {
  test.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    '4000::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%1',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '127.1',
    '[::1]',
    '1.2.3.4.5',
    '8.8.8.8 ',
  ])('%j', (ip) => {
    expect(isForbiddenAddress(ip)).toBe(true);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.0',
    '192.0.1.1',
    '198.17.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2A00:1450::1',
    '3ffe::1',
  ])('%j is global', (ip) => {
    expect(isForbiddenAddress(ip)).toBe(false);
  });
});

describe('delivery and retry', () => {
  const schedule = {
    delaysMs: [30_000, minuteMs, 2 * minuteMs, 2 * minuteMs, 2 * minuteMs, 2 * minuteMs, 2 * minuteMs],
    deadlineMs: 20 * minuteMs,
  };

  test('7 retries after 30 s, 1 min and five times 2 min, then no more', () => {
    const pauses: number[] = [];
    let now = 1_000;
    for (let attempts = 1; ; attempts += 1) {
      const next = nextAttempt({ attempts, firstTriedAt: 1_000, now }, schedule);
      if (next === 'give-up') break;
      pauses.push((next.dueAt - now) / 1_000);
      now = next.dueAt;
    }
    expect(pauses).toEqual([30, 60, 120, 120, 120, 120, 120]);
  });

  test.each([
    ['exactly at the deadline is made', 18 * minuteMs, { dueAt: 20 * minuteMs }],
    ['that could only start after the deadline is not made', 18 * minuteMs + 1, 'give-up'],
  ])('a retry %s', (_what, now, expected) => {
    expect(nextAttempt({ attempts: 3, firstTriedAt: 0, now }, schedule)).toEqual(expected);
  });

  test('the deadline runs from the first attempt, however late that was', () => {
    const late = 1_000 * minuteMs;
    expect(nextAttempt({ attempts: 1, firstTriedAt: late, now: late }, schedule)).toEqual({
      dueAt: late + 30_000,
    });
  });

  test('is tried for about 12 minutes, or to the deadline where that comes first', () => {
    expect(triedForMs(schedule)).toBe(690_000);
    expect(triedForMs({ ...schedule, deadlineMs: 5 * minuteMs })).toBe(5 * minuteMs);
  });

  test('a warning after the 3rd failed attempt, an alert when all retries are exhausted', () => {
    const mails = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => mailAfter(attempts, attempts === 8));
    expect(mails).toEqual([null, null, 'webhook-warning', null, null, null, null, 'webhook-alert']);
  });

  test('giving up at the 3rd attempt is an alert', () => {
    expect(mailAfter(3, true)).toBe('webhook-alert');
  });
});

test('X-Webhook-Signature: sha256= and the lower-case hex HMAC-SHA256 of the raw body', () => {
  const body = new TextEncoder().encode('{"text":"caf\\u00e9 é"}');
  expect(signBody('example-secret', body)).toBe(
    `sha256=${createHmac('sha256', 'example-secret').update(body).digest('hex')}`,
  );
  // RFC 4231, test case 2
  expect(signBody('Jefe', new TextEncoder().encode('what do ya want for nothing?'))).toBe(
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
