/** An echo that waits: it names nobody, and a send to its person was out when it came. */
import { newPerson } from './sends.ts';
import { until } from './until.ts';
import type { Channel, World } from './world.ts';

/** Upstream has been answered 200 for somebody else's message, and the send beside it has ended. Answers to whom both went. */
export async function echoInTheHold(world: World, photoapp: Channel): Promise<string> {
  const to = newPerson('photoapp');
  const { simulator } = world;
  await simulator.control('faults', { match: { recipient: to }, act: 'ok', delay_ms: 1_500, silent: true });
  const send = world.send(photoapp, 'Hello', to);
  await until('the send to be out', async () => {
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
