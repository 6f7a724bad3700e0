/** [spec: Additions, Endpoints; faults: 391] Headers of an endpoint are sent, and shown nowhere. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { channelOf } from '../rules/samples.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { writeHeaders } from '../../src/rules/webhooks/own-headers.ts';
import type { TranscribedAttempt } from '../../src/rules/webhooks/transcript.ts';
import { Headers } from '../../src/delivery/headers.ts';
import { makePoster, plain, postTo, receiver, testSealer } from './receivers.ts';
import type { Receiver } from './receivers.ts';

const channelId = 'channel-1:e-1';
const bearer = 'Bearer 3f0c-secret';
const own = [
  ['Authorization', bearer],
  ['X-Tenant', '7'],
] as const;
const sealed = testSealer.sealText(writeHeaders(own), sealContext.endpointHeaders(channelId));
const headers = { names: own.map(([name]) => name), sealed };

let to: Receiver;
beforeEach(async () => {
  to = await receiver(plain(`503 Busy\r\nx-echo: ${bearer}`, `you sent ${bearer}, tenant 7`));
});
afterEach(() => to.close());

async function posted(post: object): Promise<TranscribedAttempt[]> {
  const heard: TranscribedAttempt[] = [];
  const { poster } = makePoster({ timeoutMs: 1_000, transcribed: (attempt) => void heard.push(attempt) });
  const logged = { channel: channelOf('chatapp'), startedAt: 7 };
  await poster.post(postTo(to.url, { channelId, logged, ...post }));
  await poster.close();
  return heard;
}

test('they are sent beside ours', async () => {
  await posted({ headers });
  expect(to.requests[0]).toContain(`\r\nAuthorization: ${bearer}\r\nX-Tenant: 7\r\n`);
  expect(to.requests[0]).toContain('\r\nX-Webhook-Id: ');
});

test('an Accept of its own takes the place of ours', async () => {
  const sealedAccept = testSealer.sealText(
    writeHeaders([['Accept', 'application/json']]),
    sealContext.endpointHeaders(channelId),
  );
  await posted({ headers: { names: ['Accept'], sealed: sealedAccept } });
  expect(to.requests[0]?.match(/^accept: .*$/gim)).toEqual(['Accept: application/json']);
});

test('a transcript has their names, and hides their values in the request and in an answer that repeats it', async () => {
  const [attempt] = await posted({ headers });
  const { request, answer } = attempt?.transcript ?? { request: [], answer: null };
  expect(request).toContainEqual(['Authorization', '(hidden)']);
  expect(request).toContainEqual(['X-Tenant', '(hidden)']);
  expect(answer?.headers).toContainEqual(['x-echo', '(not shown)']);
  expect(Buffer.from(answer?.body ?? []).toString()).toBe('you sent (not shown), tenant 7');
});

describe('an answer shows nothing of them', () => {
  const token = `${'3f0c'.repeat(100)} "x"`;
  const long = {
    names: ['Authorization'],
    sealed: testSealer.sealText(
      writeHeaders([['Authorization', `Bearer ${token}`]]),
      sealContext.endpointHeaders(channelId),
    ),
  };
  const shown = async (body: string): Promise<string> => {
    await to.close();
    to = await receiver(plain('401 No', body));
    const [attempt] = await posted({ headers: long });
    return Buffer.from(attempt?.transcript.answer?.body ?? []).toString();
  };

  test.each([
    ['that names the token alone', `bad token: ${token}`, 'bad token: (not shown)'],
    ['that quotes them in JSON', JSON.stringify({ bad: `Bearer ${token}` }), '{"bad":"(not shown)"}'],
    ['that has a part of them', `bad: Bearer ${token.slice(0, 50)}, sir`, 'bad: (not shown), sir'],
  ])('%s', async (_what, body, left) => {
    expect(await shown(body)).toBe(left);
  });

  test('whose kept part ends within them', async () => {
    expect(await shown(`${' '.repeat(2_000)}${token}`)).toBe(`${' '.repeat(2_000)}(not shown)`);
  });
});

test('those of another endpoint, or under a lost key, are not sent, and neither is the event', () => {
  const made = new Headers(testSealer);
  expect(made.of(postTo(to.url, { channelId, headers }), 0)).toContain(bearer);
  expect(made.of(postTo(to.url, { channelId: 'channel-1:e-2', headers }), 0)).toBeNull();
  expect(made.of(postTo(to.url, { channelId, headers: null }), 0)).not.toContain(bearer);
});
