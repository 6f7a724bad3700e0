/** [faults: 96] One channel whose upstream takes 20 s, 300 sends on it: another channel's send is not slower. Counted, not timed. */
import { expect, test } from '@jest/globals';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { laxWorld } from '../support/upstream-app.ts';

const world = sharedWorld(
  {
    MAX_QUEUE_AGE_MS: '300',
    SEND_QUEUED_AFTER_MS: '60000',
    DRAIN_TIMEOUT_MS: '200',
  },
  laxWorld,
);

test('one channel with 300 sends whose upstream takes 20 s: 100 calls are in flight, and another channel keeps sending', async () => {
  const [slow, quick] = [await ownChannel(world), await ownChannel(world)];
  const match = { channel: slow.upstream };
  await world.simulator.control('faults', { match, act: 'ok', delay_ms: 20_000, times: 0 });
  const out = async (): Promise<number> => {
    const { faults } = await world.simulator.control('faults');
    return faults.find((fault: { match: object }) => 'channel' in fault.match).fired;
  };
  const statuses: number[] = [];
  const sends = Array.from({ length: 300 }, () =>
    world
      .send(slow, 'slow', newPerson('chatapp'))
      .then(({ status }) => statuses.push(status))
      .catch(() => undefined),
  );
  await until('its calls', async () => (await out()) === 100);
  const others = await Promise.all(
    Array.from({ length: 5 }, () => world.send(quick, 'quick', newPerson('chatapp'))),
  );
  expect(others.map(({ body }) => body.status)).toEqual(others.map(() => 'sent'));
  expect(await out()).toBe(100);
  // Sends beyond the limit are answered in time; the others only once upstream has answered.
  await until('the others to be refused', () => statuses.length === 200);
  expect(new Set(statuses)).toEqual(new Set([503]));
  await world.service.call('GET', '/healthz');
  void sends;
});
