/** An echo that the service holds back: it names no message id of ours, and a send to the same person was in flight when it came. */
import { newPerson } from './sends.ts';
import { until } from './until.ts';
import type { Channel, World } from './world.ts';

/** Resolves once the echo was answered 200 and the concurrent send has ended. Returns the recipient of both. */
export async function heldBackEcho(world: World, photoapp: Channel): Promise<string> {
  const to = newPerson('photoapp');
  const { simulator } = world;
  await simulator.control('faults', { match: { recipient: to }, act: 'ok', delay_ms: 1_500, silent: true });
  const send = world.send(photoapp, 'Hello', to);
  await until('the send to reach upstream', async () => {
    const { faults } = await simulator.control('faults');
    return faults.every(({ fired }: { fired: number }) => fired > 0);
  });
  const written = await simulator.control('business/write', {
    channel: photoapp.upstream,
    to,
    text: 'We open at nine.',
    wait: true,
  });
  const { body } = await send;
  if (String(written.answers) !== '200' || body.status !== 'sent')
    throw new Error(`the echo was answered ${String(written.answers)}, the send ${String(body.status)}`);
  return to;
}
