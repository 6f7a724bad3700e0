/** [faults: 92, I11] The webhook endpoint of the payment provider, to which anybody may post. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Stripe } from 'stripe';
import { until } from '../support/until.ts';
import { target, Wire } from './support.ts';
import type { Target } from './support.ts';

const secret = 'whsec_of_this_test';
const mib = 1024 * 1024;

let attacked: Target;
beforeAll(async () => {
  attacked = await target({ BILLING_WEBHOOK_SECRET: secret });
});
afterAll(() => attacked.close());

const seconds = (): number => Math.floor(Date.now() / 1_000);
const forged = '0'.repeat(64);
const head = (signature: string): string =>
  `POST /billing/webhook HTTP/1.1\r\nHost: x\r\nStripe-Signature: ${signature}\r\nContent-Length: 1000000\r\n\r\n`;

test.each([
  ['no time', () => `v1=${forged}`],
  ['a time that is none', () => `t=soon,v1=${forged}`],
  ['two times', () => `t=1,t=${seconds()},v1=${forged}`],
  ['a time of long ago', () => `t=${seconds() - 310},v1=${forged}`],
  ['no signature', () => `t=${seconds()}`],
  ['a signature without the shape of one', () => `t=${seconds()},v1=abc`],
  ['one of another scheme', () => `t=${seconds()},v0=${forged}`],
  ['more than any header says', () => `t=${seconds()},v1=${forged},${'v1=0,'.repeat(300)}`],
])('%s: answered before a byte of the body has arrived', async (_, signature) => {
  const wire = new Wire(attacked.port);
  await wire.write(head(signature()));
  await wire.answers(1);
  expect(wire.statuses).toEqual([400]);
  wire.end();
});

test('incomplete unsigned bodies share a memory limit: the oldest are answered 503', async () => {
  const wires = Array.from({ length: 100 }, () => new Wire(attacked.port));
  for (const wire of wires) {
    await wire.write(head(`t=${seconds()},v1=${forged}`));
    await wire.write('x'.repeat(950_000));
  }
  await until(
    'the oldest to be refused',
    () => wires.filter(({ statuses }) => statuses.length > 0).length >= 25,
  );
  expect(new Set(wires.flatMap(({ statuses }) => statuses))).toEqual(new Set([503]));
  expect(wires[0]?.statuses).toEqual([503]);
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid' });
  const answer = await attacked.service.call('POST', '/billing/webhook', {
    raw: payload,
    headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret }) },
  });
  expect(answer.status).toBe(200);
  const { text } = await attacked.service.call('GET', '/metrics');
  expect(Number(/^trunkline_upstream_bodies_bytes(?:\{\})? (\d+)$/m.exec(text)?.[1])).toBeLessThanOrEqual(
    64 * mib,
  );
  for (const wire of wires) wire.end();
});
