import { setTimeout as wait } from 'node:timers/promises';

const timeoutMs = 20_000;

async function call(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 300 && response.status < 400) return response.headers.get('location');
  if (!response.ok)
    throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 200)}`);
  return text === '' ? null : JSON.parse(text);
}

/** The demo's HTTP client: JSON in and out; a redirect returns its location, any other status than 2xx throws. */
export const ask = {
  get: (url: string, headers: Record<string, string> = {}) => call('GET', url, headers),
  post: (url: string, body: unknown, headers: Record<string, string> = {}) =>
    call('POST', url, headers, body),
  patch: (url: string, body: unknown, headers: Record<string, string> = {}) =>
    call('PATCH', url, headers, body),
  /** Resolves when the URL answers 2xx. */
  async until(url: string): Promise<void> {
    await ask.untilTrue(url, async () => (await fetch(url).catch(() => null))?.ok === true);
  },
  /** Resolves when the condition holds. */
  async untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (performance.now() < until) {
      if (await isTrue()) return;
      await wait(50);
    }
    throw new Error(`${what} did not answer within ${timeoutMs / 1_000} s`);
  },
};

/** A string member of an answer; throws if it is missing. */
export function textIn(answer: unknown, member: string): string {
  if (typeof answer === 'object' && answer !== null) {
    const value: unknown = Reflect.get(answer, member);
    if (typeof value === 'string') return value;
  }
  throw new Error(`the answer has no ${member}`);
}
