/** [faults I9, 101] Files that are made to be parsed for ever: the service continues, and their messages make events. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { manyGenres } from '../support/crafted-files.ts';
import { eventsAbout } from '../support/events.ts';
import { Pings, withoutStall } from '../support/pings.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, spawnHookMs, spawnService } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const maxStallMs = 50;

let world: World;
let pings: Pings;
let channel: Channel;
beforeAll(async () => {
  const simulator = await bootSimulator(laxWorld);
  // The service is a process: the work of the simulator must not look like a stall of the service.
  const service = await spawnService(await environment(simulator.url));
  world = await World.of(service, simulator);
  channel = await world.connected('chatapp');
  pings = new Pings(service.url, service.process.pid);
}, spawnHookMs);
afterAll(async () => {
  await pings.stop();
  await world.close();
});

async function told(message: Record<string, unknown>): Promise<unknown> {
  const from = newPerson('chatapp');
  await world.write(channel, message, from);
  await until('its event', () => eventsAbout(world, channel, from).length === 1);
  return eventsAbout(world, channel, from)[0]?.data['media'];
}

const endless = { type: 'voice', mime_type: 'audio/mpeg', content_base64: manyGenres().toString('base64') };

test("a voice message with 125,000 genres: no stall; the type is upstream's, the duration is unknown", async () => {
  const media = await withoutStall(pings, maxStallMs, () => told(endless));
  expect(media).toMatchObject({
    mime_type: 'audio/mpeg',
    duration_ms: null,
    download_url: expect.any(String),
  });
});

test('the next voice message is described', async () => {
  await told(endless);
  expect(await told({ type: 'voice' })).toMatchObject({ duration_ms: expect.any(Number) });
});
