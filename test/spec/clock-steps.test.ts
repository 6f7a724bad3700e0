/** [faults: 292] Somebody sets the wall clock of a running node: what is under way goes on as if nothing had happened. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { Stripe } from 'stripe';
import { KillableService } from '../support/crash.ts';
import { ServiceClock } from '../support/service-clock.ts';
import { faultFor, ledger, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { samplesOf, sumOf } from '../operations/prometheus.ts';

jest.setTimeout(120_000);

const hourMs = 3_600_000;
const steps = [
  ['back', -hourMs],
  ['forward', hourMs],
] as const;

let killable: KillableService;
let clock: ServiceClock;
afterEach(async () => {
  await killable.close();
  clock.close();
});

async function open(settings: Record<string, string>): Promise<void> {
  clock = new ServiceClock('steps');
  killable = await KillableService.open({ ...clock.env, LOG_LEVEL: 'warn', ...settings });
}

const setWall = (aheadMs: number): void => clock.move(killable.process, aheadMs);

/** The step was noticed, logged and counted once. */
async function expectTold(ms: number): Promise<void> {
  const told = (): string[] => killable.process.lines.filter((line) => line.includes('clock.stepped'));
  await until('the step to be told', async () => {
    await killable.process.call('GET', '/healthz');
    return told().length > 0;
  });
  expect(told().map((line) => Math.round(JSON.parse(line).ms / 1_000))).toEqual([ms / 1_000]);
  const { text } = await killable.process.admin('GET', '/../../metrics');
  expect(sumOf(samplesOf(text), 'clock_steps_total', {})).toBe(1);
}

test.each(steps)('%s by an hour: a channel that has just sent goes on sending', async (_, ms) => {
  await open({});
  const channel = await killable.world.connected('chatapp');
  expect((await killable.world.send(channel, 'before')).body.status).toBe('sent');
  setWall(ms);
  for (let n = 0; n < 20; n += 1) {
    const answer = await killable.world.send(channel, `after ${n}`, newPerson('chatapp'));
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
  }
  await expectTold(ms);
});

test.each(steps)(
  '%s by an hour: an event whose receiver fails is tried again in time, and kept',
  async (_, ms) => {
    await open({ WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,1000,1000,1000' });
    const channel = await killable.world.connected('chatapp');
    killable.inbox.answerAlways(503);
    await killable.world.write(channel, { text: 'an event' });
    await killable.inbox.next(1, ({ event }) => event.event === 'message.received');
    setWall(ms);
    await killable.inbox.next(2, ({ event }) => event.event === 'message.received');
    killable.inbox.answerAlways(200);
    await until('its delivery', () => killable.inbox.arrivals.some(({ answered }) => answered === 200));
  },
);

test.each(steps)('%s by an hour: a queued send gets its second copy, and no more', async (_, ms) => {
  await open({ SEND_QUEUED_AFTER_MS: '500', SEND_RESEND_AFTER_MS: '3000', SEND_GIVE_UP_AFTER_MS: '30000' });
  const channel = await killable.world.connected('chatapp');
  const recipient = newPerson('chatapp');
  await faultFor(killable.simulator, recipient, { act: 'reset', times: 1 });
  const answer = await killable.world.send(channel, 'lost', recipient);
  expect(answer.body.status).toBe('queued');
  setWall(ms);
  await killable.inbox.event('message.sent', answer.body.message_id);
  expect(
    (await ledger(killable.simulator, { recipient })).filter(({ outcome }) => outcome === 'accepted'),
  ).toHaveLength(1);
});

test.each(steps)('%s by an hour: an event of the payment provider is taken', async (_, ms) => {
  const secret = 'whsec_of_the_provider';
  await open({ BILLING_WEBHOOK_SECRET: secret });
  await killable.process.call('GET', '/healthz');
  setWall(ms);
  await expectTold(ms);
  const payload = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', created: 1, data: { object: {} } });
  const timestamp = Math.floor((Date.now() + ms) / 1_000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const headers = { 'stripe-signature': signature };
  const answer = await killable.process.call('POST', '/billing/webhook', { raw: payload, headers });
  expect([answer.status, answer.body]).toEqual([200, { received: true }]);
});
