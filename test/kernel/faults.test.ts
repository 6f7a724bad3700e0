import { describe, expect, test } from '@jest/globals';
import { fault, faultRegistry, fieldFault } from '../../src/kernel/faults.ts';

/** [spec: HTTP status codes], the errors among them. */
const specified = [400, 401, 402, 404, 410, 422, 429, 502, 503];
/** [operator-interface §4] wrong method, another body with the same Idempotency-Key, too large, no JSON body, too many headers, internal error. */
const added = [405, 409, 413, 415, 431, 500];
/** [spec: Additions] A key's missing scope; an upload that is too slow, or does not say its length. */
const addedToContract = [403, 408, 411];

describe('the registry of faults', () => {
  const entries = Object.values(faultRegistry);

  test('every error status of the specification can be answered', () => {
    const statuses = new Set(entries.map(({ status }) => status));
    expect(specified.filter((status) => !statuses.has(status))).toEqual([]);
  });

  test('no other status is used', () => {
    const known = new Set([...specified, ...added, ...addedToContract]);
    expect(entries.filter(({ status }) => !known.has(status))).toEqual([]);
  });

  test('exactly the four known codes and those of the additions have an object as detail, with their status', () => {
    const objects = Object.entries(faultRegistry).filter(([, { detail }]) => detail === 'object');
    expect(objects.map(([code, { status }]) => [code, status])).toEqual([
      ['text_too_long', 400],
      ['invalid_recipient', 400],
      ['recipient_equals_sender', 400],
      ['unknown_message', 400],
      ['content_too_long', 400],
      ['unsupported_content', 400],
      ['wrong_channel_type', 400],
      ['scope_missing', 403],
    ]);
  });

  test.each([
    ['unauthorized', 401],
    ['not_admin', 401],
    ['not_signed', 401],
    ['licence_inactive', 402],
    ['tier_too_low', 402],
    ['no_free_slot', 402],
    ['channel_inactive', 400],
    ['redirect_not_allowed', 400],
    ['conflict', 409],
    ['body_too_large', 413],
    ['method_not_allowed', 405],
  ] as const)('%s is answered with %d and a sentence', (code, status) => {
    expect(fault(code)).toMatchObject({ status, detail: expect.stringMatching(/^[A-Za-z].{7,}/) });
  });

  test('a schema violation is a 422 whose detail is a list of loc, msg, type', () => {
    expect(fieldFault(['body', 'webhook_url'], 'must be HTTPS')).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'webhook_url'], msg: 'must be HTTPS', type: 'value_error' }],
    });
  });

  test('invalid_recipient has code, reason and hint', () => {
    expect(fault('invalid_recipient', { reason: 'empty', hint: 'Send digits.' }).detail).toMatchObject({
      code: 'invalid_recipient',
      reason: 'empty',
      hint: 'Send digits.',
    });
  });

  test.each([
    ['rate_limited', 7],
    ['overloaded', 7],
    ['unavailable', 7],
  ] as const)('%s says when to retry', (code, seconds) => {
    expect(fault(code, { retryAfter: seconds }).retryAfterSeconds).toBe(seconds);
    expect(fault(code).retryAfterSeconds).toBe(1);
  });

  test('other faults do not', () => {
    expect(fault('not_found').retryAfterSeconds).toBeNull();
  });
});
