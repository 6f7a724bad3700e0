/** The outcome of one POST, event by event. [spec: Delivery and retry; operator-interface §4; faults: 54-58, 90] */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Attempt, makeResult } from '../../src/delivery/attempt.ts';
import type { Outcome } from '../../src/delivery/attempt.ts';

type Cause = Extract<Outcome, { ok: false }>['cause'];

let outcomes: Outcome[];
let aborted: number;
let attempt: Attempt;
const controller = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => void (aborted += 1),
  pause: () => undefined,
  resume: () => undefined,
};

beforeEach(() => {
  [outcomes, aborted, attempt] = [[], 0, anAttempt()];
});

function anAttempt({ keepsAnswers = false } = {}): Attempt {
  return new Attempt(5_000, keepsAnswers, (ended, outcome) => {
    expect(ended).toBe(attempt);
    outcomes.push(outcome);
  });
}

const begins = (status: number, headers: Record<string, unknown> = {}): void => {
  attempt.onRequestStart(controller);
  attempt.onResponseStart(controller, status, headers);
};
const brings = (body: string | Uint8Array): void => attempt.onResponseData(controller, Buffer.from(body));
const answers = (status: number): void => {
  begins(status);
  attempt.onResponseEnd();
};
const failed = (cause: Cause, status: number | null = null): Outcome => ({ ok: false, status, cause });
const error = (code: string, name = 'Error'): Error => Object.assign(new Error('no'), { code, name });

describe('an answer', () => {
  test.each([200, 204, 299])('of %i is delivered', (status) => {
    answers(status);
    expect([outcomes, aborted]).toEqual([[{ ok: true, status }], 0]);
  });

  test.each([300, 302, 400, 404, 429, 500, 599])('of %i is a failure', (status) => {
    answers(status);
    expect([outcomes, aborted]).toEqual([[failed('status', status)], 0]);
  });

  test('is ignored while it is an interim one, a thousand times', () => {
    for (let count = 0; count < 1_000; count += 1) begins(count === 0 ? 199 : 103);
    expect([outcomes, aborted]).toEqual([[], 0]);
    answers(204);
    expect(outcomes).toEqual([{ ok: true, status: 204 }]);
  });

  test('with our hop header is a loop, whatever its status', () => {
    begins(200, { 'x-trunkline-hop': '1' });
    expect([outcomes, aborted]).toEqual([[failed('loop', 200)], 1]);
  });

  test('of 16 KB is read completely', () => {
    begins(200);
    brings('x'.repeat(16_384));
    expect([outcomes, aborted]).toEqual([[], 0]);
    brings('x');
    expect([outcomes, aborted]).toEqual([[{ ok: true, status: 200 }], 1]);
  });

  test('that ends without a status is no HTTP', () => {
    attempt.onResponseEnd();
    expect(outcomes).toEqual([failed('protocol')]);
  });
});

describe('the deadline', () => {
  test('without a status is a timeout, and the connection is closed', () => {
    begins(103);
    attempt.expire();
    expect([outcomes, aborted]).toEqual([[failed('timeout')], 1]);
  });

  test.each<[number, Outcome]>([
    [200, { ok: true, status: 200 }],
    [500, failed('status', 500)],
  ])('after a %i that decides, and the connection is closed', (status, outcome) => {
    begins(status);
    attempt.expire();
    expect([outcomes, aborted]).toEqual([[outcome], 1]);
  });

  test('before the connection is open: the request is not sent when it opens', () => {
    attempt.expire();
    expect(aborted).toBe(0);
    attempt.onRequestStart(controller);
    expect([outcomes, aborted]).toEqual([[failed('timeout')], 1]);
  });

  test('decides once: later events change nothing', () => {
    attempt.expire();
    answers(200);
    attempt.onResponseError(controller, error('ECONNRESET'));
    expect(outcomes).toEqual([failed('timeout')]);
  });
});

describe('an error', () => {
  test.each<[string, Cause]>([
    ['blocked', 'blocked'],
    ['dns_error', 'dns_error'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'certificate_expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_name'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'no_tls'],
    ['EPROTO', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_chain'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
    ['ECONNRESET', 'reset'],
    ['ECONNREFUSED', 'refused'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_chain'],
    ['', 'connection'],
  ])('%s is %s', (code, cause) => {
    attempt.onRequestStart(controller);
    attempt.onResponseError(controller, error(code));
    expect([outcomes, aborted]).toEqual([[failed(cause)], 0]);
  });

  test.each<[string, Error, Cause]>([
    ['of the parser', error('HPE_INVALID_CONSTANT', 'HTTPParserError'), 'protocol'],
    ['of an upgrade that nobody asked for', new Error('bad upgrade'), 'protocol'],
    ['without a code', new Error('no'), 'connection'],
  ])('%s has a cause', (_words, given, cause) => {
    attempt.onResponseError(controller, given);
    expect(outcomes).toEqual([failed(cause)]);
  });

  test.each<[number, Outcome]>([
    [204, { ok: true, status: 204 }],
    [502, failed('status', 502)],
  ])('after a %i does not change the outcome', (status, outcome) => {
    begins(status);
    attempt.onResponseError(controller, error('ECONNRESET'));
    expect(outcomes).toEqual([outcome]);
  });

  test('before anything was sent is reported unchanged', () => {
    attempt.refuse('secret');
    expect(outcomes).toEqual([failed('secret')]);
  });
});

describe('the stored part of an answer', () => {
  const kept = () => {
    const answer = attempt.answer();
    return answer === null ? null : { ...answer, body: Buffer.from(answer.body).toString() };
  };

  test.each<[boolean, number, string | undefined]>([
    [false, 200, undefined],
    [false, 299, undefined],
    [false, 300, 'words'],
    [false, 500, 'words'],
    [true, 200, 'words'],
  ])('asked for: %s, of a %i: %s', (keepsAnswers, status, body) => {
    attempt = anAttempt({ keepsAnswers });
    begins(status);
    brings('words');
    expect(kept()?.body).toBe(body);
  });

  test('is nothing before there is an answer', () => {
    expect(kept()).toBeNull();
  });

  test.each<[string[], string, boolean]>([
    [['x'.repeat(2_048)], 'x'.repeat(2_048), false],
    [['x'.repeat(2_049)], 'x'.repeat(2_048), true],
    [['x'.repeat(2_047), 'yz'], `${'x'.repeat(2_047)}y`, true],
    [['x'.repeat(2_048), 'yz'], 'x'.repeat(2_048), true],
    [['x'.repeat(2_050), 'y'.repeat(9)], 'x'.repeat(2_048), true],
    [['ab', 'cd'], 'abcd', false],
  ])('is its first 2 KB, with a mark if there was more (case %#)', (chunks, body, isCut) => {
    begins(500);
    for (const chunk of chunks) brings(chunk);
    expect(kept()).toEqual({ headers: [], body, isCut });
  });

  test('is a copy, because the received buffer is reused', () => {
    begins(500, { 'x-kept': 'yes' });
    const chunk = Buffer.from('words');
    attempt.onResponseData(controller, chunk);
    chunk.fill('!');
    expect(kept()).toEqual({ headers: [['x-kept', 'yes']], body: 'words', isCut: false });
  });

  test('ends where its headers end', () => {
    begins(500, { 'x-long': 'x'.repeat(600) });
    expect(kept()).toEqual({ headers: [['x-long', 'x'.repeat(512)]], body: '', isCut: true });
  });
});

test.each<[Cause, string]>([
  ['status', 'status'],
  ['timeout', 'timeout'],
  ['connection', 'connection'],
  ['tls', 'tls'],
  ['protocol', 'protocol'],
  ['blocked', 'no_address'],
  ['dns_error', 'no_address'],
  ['loop', 'loop'],
  ['url', 'url'],
  ['secret', 'secret'],
  ['busy', 'busy'],
])('a tenant reads the cause %s as %s, so that our network cannot be probed [faults: 58]', (...of) => {
  const [cause, reason] = of;
  const hidden = cause === reason ? {} : { cause };
  expect(makeResult(failed(cause, 503))).toEqual({ ok: false, status: 503, reason, ...hidden });
});

test('a delivered POST is reported with its status only', () => {
  expect(makeResult({ ok: true, status: 201 })).toEqual({ ok: true, status: 201 });
});

describe('answers that arrive byte by byte and never end', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };

  test('use less than 64 KB each [faults: 55, I11]', () => {
    const held: Attempt[] = [];
    const before = heap();
    for (let n = 0; n < 20; n += 1) {
      attempt = anAttempt();
      held.push(attempt);
      begins(500);
      for (let count = 0; count < 16_384; count += 1) brings('a');
    }
    const bytes = heap() - before;
    expect(held.map((each) => each.answer()?.body.length)).toEqual(held.map(() => 2_048));
    expect(bytes).toBeLessThan(held.length * 64 * 1_024);
  });
});
