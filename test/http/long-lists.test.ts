/** [faults: I9] A list of ten thousand is the JSON that a short one is, written in turns. */
import { afterEach, expect, test } from '@jest/globals';
import { countTurns } from '../hostile/support.ts';
import { run, useCasesWith } from './support.ts';
import type { Running } from './support.ts';

let service: Running | null = null;
afterEach(async () => {
  await service?.stop();
  service = null;
});

test.each([0, 250, 251, 10_000])('%i redirects', async (count) => {
  const items = Array.from({ length: count }, (_, n) => ({
    id: `6f1d2f57-0000-4000-8000-${String(n).padStart(12, '0')}`,
    accountId: 'a',
    apiKeyId: 'k',
    uriPattern: `https://app-${n}.example/"é`,
    createdAt: n,
  }));
  const listRedirects = () => Promise.resolve({ items, nextCursor: null });
  service = await run({ useCases: useCasesWith({ listRedirects }) });
  const turns = countTurns();
  const { status, text } = await service.api('/api/v1/redirects');
  expect(turns()).toBeGreaterThanOrEqual(count / 250);
  const redirects = items.map(({ id, uriPattern, createdAt }) => ({
    id,
    uri_pattern: uriPattern,
    created_at: new Date(createdAt).toISOString(),
  }));
  expect([status, text]).toEqual([200, JSON.stringify({ redirects })]);
});
