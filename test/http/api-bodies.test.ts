/** [faults: 110, I11] Request bodies with a valid key: an account has a share of the node's memory for bodies. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BodyBudget } from '../../src/http/middleware/body-budget.ts';
import type { HeldBody } from '../../src/http/middleware/body-budget.ts';
import { Wire } from '../hostile/support.ts';
import { closeAfterEach } from '../support/closing.ts';
import { until } from '../support/until.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, someId } from './support.ts';

const closing = closeAfterEach();

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
});
afterAll(() => house.close());

const small = { share: 100, total: 250, little: 10, most: 300 };

/** A body that has arrived, or was refused. */
const heldBy = (bodies: BodyBudget, account: string, bytes: number): [HeldBody, string | null] => {
  const held = bodies.begin(account);
  const refused = held.grow(bytes)?.code ?? null;
  held.arrived();
  return [held, refused];
};

test('an account has its share, and gets it back', () => {
  const bodies = BodyBudget.forAccounts(small);
  const [first, refused] = heldBy(bodies, 'one', 100);
  expect(refused).toBe(null);
  expect(heldBy(bodies, 'one', 1)[1]).toBe('rate_limited');
  expect(heldBy(bodies, 'two', 100)[1]).toBe(null);
  first.end();
  expect(heldBy(bodies, 'one', 100)[1]).toBe(null);
  expect(bodies.bytes).toBe(200);
});

test('a full budget is closed to accounts that use more than a little, and at its very end to everybody', () => {
  const bodies = BodyBudget.forAccounts(small);
  for (const account of ['one', 'two']) heldBy(bodies, account, 100);
  heldBy(bodies, 'three', 50);
  expect(heldBy(bodies, 'three', 1)[1]).toBe('overloaded');
  for (const account of ['a', 'b', 'c', 'd', 'e']) {
    expect(heldBy(bodies, account, 11)[1]).toBe('overloaded');
    expect(heldBy(bodies, account, 10)[1]).toBe(null);
  }
  expect(heldBy(bodies, 'f', 1)[1]).toBe('overloaded');
  expect(bodies.bytes).toBe(300);
});

test('the oldest incomplete body makes room, unless its account uses little', () => {
  const bodies = BodyBudget.forAccounts(small);
  const refused: string[] = [];
  const begun = (account: string, bytes: number): string | null => {
    const held = bodies.begin(account);
    held.refuse = ({ code }) => void refused.push(`${account} ${code}`);
    return held.grow(bytes)?.code ?? null;
  };
  expect(['tiny', 'one', 'two'].map((account) => begun(account, account === 'tiny' ? 10 : 100))).toEqual([
    null,
    null,
    null,
  ]);
  expect(heldBy(bodies, 'three', 60)[1]).toBe(null);
  expect([refused, bodies.bytes]).toEqual([['one overloaded'], 170]);
});

const head = (length: string): string =>
  `POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;

test('a body with a declared length is refused before it is read, a chunked one as it arrives', async () => {
  const apiBodies = BodyBudget.forAccounts({ share: 1_000 });
  const service = await house.run({ apiBodies });
  closing(() => service.stop());
  const first = new Wire(service.port);
  closing(() => first.end());
  await first.write(head('Content-Length: 900'));
  await until('the first to hold its share', () => apiBodies.bytes === 900);
  const announced = new Wire(service.port);
  closing(() => announced.end());
  await announced.write(head('Content-Length: 101'));
  await announced.answers(1);
  const chunked = new Wire(service.port);
  closing(() => chunked.end());
  await chunked.write(`${head('Transfer-Encoding: chunked')}65\r\n${' '.repeat(101)}\r\n`);
  await chunked.answers(1);
  expect([announced.statuses, chunked.statuses, first.statuses]).toEqual([[429], [429], []]);
  expect(announced.heard).toMatch(/Retry-After: 1\r\n/i);
});

test('a body counts until its request is answered', async () => {
  const apiBodies = BodyBudget.forAccounts();
  let answer = (): void => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  house.router.sendReply = async () => {
    await isAnswered;
    return { status: 'sent' };
  };
  const service = await house.run({ apiBodies });
  closing(() => service.stop());
  const asked = service.api('/api/v1/messages/send', {
    method: 'POST',
    body: { channel_id: someId, recipient: '4915900000777', text: 'Hello', unknown: 'x'.repeat(100_000) },
  });
  await until('the body to be held', () => apiBodies.bytes > 100_000);
  answer();
  expect((await asked).status).toBe(200);
  await until('the body to be given back', () => apiBodies.bytes === 0);
});

test('an incomplete body is answered when its memory is needed', async () => {
  const service = await house.run({ apiBodies: BodyBudget.forAccounts({ total: 1_000, little: 0 }) });
  closing(() => service.stop());
  const [stalled, next] = [new Wire(service.port), new Wire(service.port)];
  closing(() => [stalled, next].map((wire) => wire.end()));
  await stalled.write(`${head('Content-Length: 900')}{`);
  await next.write(`${head('Content-Length: 200')}{`);
  await stalled.answers(1);
  await next.write(`${' '.repeat(198)}}`);
  await next.answers(1);
  expect([stalled.statuses, next.statuses]).toEqual([[503], [422]]);
});
