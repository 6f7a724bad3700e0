/** An echo that the service holds back: it names no message id of ours, and a send to the same person is in flight when it comes. */
import { newPerson } from './sends.ts';
import { until } from './until.ts';
import type { Channel, World } from './world.ts';

/** Longer than a test needs to end the owner of the send. */
const answerDelayMs = 15_000;

/** Resolves once the echo was answered 200; the send is still in flight. Returns the recipient of both. */
export async function heldBackEcho(world: World, photoapp: Channel): Promise<string> {
  const to = newPerson('photoapp');
  const { simulator } = world;
  const answer = { act: 'ok', delay_ms: answerDelayMs, times: 1, silent: true };
  await simulator.control('faults', { match: { recipient: to }, ...answer });
  world.send(photoapp, 'Hello', to).catch(() => undefined); // its service is killed meanwhile
  await until('the send to reach upstream', async () => {
    const { faults } = await simulator.control('faults');
    return faults.every(({ fired }: { fired: number }) => fired > 0);
  });
  const { answers } = await simulator.control('business/write', {
    channel: photoapp.upstream,
    to,
    text: 'We open at nine.',
    wait: true,
  });
  if (String(answers) !== '200') throw new Error(`the echo was answered ${String(answers)}`);
  return to;
}
