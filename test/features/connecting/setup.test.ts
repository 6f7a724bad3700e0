import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { run, someId, useCasesWith } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';

const dialog = 'https://upstream.example/dialog/oauth?state=x';
const done = 'https://client.example/done?code=one-time';

let service: Running;
const calls: unknown[] = [];
beforeAll(async () => {
  service = await run({
    useCases: useCasesWith({
      openSetup: (sessionId, token) => {
        calls.push([sessionId, token]);
        if (token === 'broken') return Promise.reject(new StoreUnavailable('x'));
        return Promise.resolve(token === 'right' ? dialog : null);
      },
      finishSetup: (callback) => {
        calls.push(callback);
        return Promise.resolve(callback.state === 'session.right' ? done : null);
      },
    }),
  });
});
beforeEach(() => void calls.splice(0));
afterAll(() => service.stop());

describe('GET /setup/{session_id}', () => {
  test("302 to upstream's dialog, without the token", async () => {
    const answer = await service.ask(`/setup/${someId}?token=right`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, dialog]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('an unknown or expired link: a page that says what to do', async () => {
    const answer = await service.ask(`/setup/${someId}?token=wrong`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('start connecting the channel again');
  });

  test.each([
    '',
    '?token=',
    '?token=a&token=b',
    '?token=%00',
    `?token=${'x'.repeat(500)}`,
    '?token=<script>',
  ])('%p gets the same page, without a store call', async (query) => {
    const answer = await service.ask(`/setup/${someId}${query}`);
    expect([answer.status, calls]).toEqual([404, []]);
    expect(answer.text).not.toContain('<script>');
  });

  test('while the store is down: a page with 503', async () => {
    const answer = await service.ask(`/setup/${someId}?token=broken`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  });
});

describe('GET /setup/callback', () => {
  const callback = (query: string) => service.ask(`/setup/callback?${query}`);
  const heard = { state: 'session.right', numberId: null, requestId: expect.any(String) };

  test("302 to the client's redirect_uri", async () => {
    const answer = await callback('code=AQB.x-_%23&state=session.right');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, done]);
    expect(calls).toEqual([{ ...heard, code: 'AQB.x-_#', error: null }]);
  });

  test("the person's refusal is passed on as an error code", async () => {
    await callback(
      'error=access_denied&error_reason=user_denied&error_description=Permissions+error&state=session.right',
    );
    expect(calls).toEqual([{ ...heard, code: null, error: 'access_denied' }]);
  });

  test('neither code nor error counts as a refusal', async () => {
    await callback('state=session.right');
    expect(calls).toEqual([{ ...heard, code: null, error: 'access_denied' }]);
  });

  test.each([
    '',
    'code=x',
    'state=',
    'state=a&state=b',
    'state=%00',
    'state=<b>',
    `state=${'x'.repeat(600)}`,
  ])('%p: 400 and a page, without a store call', async (query) => {
    const answer = await callback(query);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(calls).toEqual([]);
  });

  test('a foreign, expired or replayed state: 410 and a page', async () => {
    expect((await callback('code=x&state=foreign.state')).status).toBe(410);
  });

  test('no parameter is reflected', async () => {
    const answer = await callback(
      'state=foreign.state&error=hacked&error_description=call-this-number&code=mark-me',
    );
    for (const word of ['hacked', 'call-this-number', 'mark-me', 'foreign'])
      expect(answer.text).not.toContain(word);
  });

  test('pages run no scripts and cannot be framed', async () => {
    const policy = (await callback('')).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
  });
});
