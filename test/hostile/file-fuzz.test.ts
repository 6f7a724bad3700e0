/**
 * [faults I9, 101, 102] Mutated files of every format that the service parses: every message makes its event, and the service neither
 * crashes nor blocks. `FILE_FUZZ_FILES=10000` for more, `FILE_FUZZ_SEED` to repeat a run.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Random } from '../actors/support/random.ts';
import { eventsAbout } from '../support/events.ts';
import { Pings, withoutStall } from '../support/pings.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, spawnHookMs, spawnService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { samples } from './file-samples.ts';
import { mutated } from './mutations.ts';

const files = Number(process.env['FILE_FUZZ_FILES'] ?? 160);
const seed = Number(process.env['FILE_FUZZ_SEED'] ?? Date.now() % 1_000_000);
const perBatch = 32;
const maxStallMs = 50;

jest.setTimeout(60_000 + files * 200);

let service: ServiceProcess;
let world: World;
let pings: Pings;
let channel: Channel;
beforeAll(async () => {
  const simulator = await bootSimulator(laxWorld);
  service = await spawnService(await environment(simulator.url));
  world = await World.of(service, simulator);
  channel = await world.connected('chatapp');
  pings = new Pings(service.url, service.process.pid);
}, spawnHookMs);
afterAll(async () => {
  await pings.stop();
  await world.close();
});

interface Batch {
  type: string;
  bytes: Buffer;
}

async function told(batch: readonly Batch[]): Promise<unknown[]> {
  const people = await Promise.all(
    batch.map(async ({ type, bytes }) => {
      const from = newPerson('chatapp');
      const content_base64 = bytes.toString('base64');
      await world.write(channel, { type: 'voice', mime_type: type, content_base64 }, from);
      return from;
    }),
  );
  await until(
    'every event',
    () => people.every((from) => eventsAbout(world, channel, from).length === 1),
    60_000,
  );
  const media = people.map((from) => eventsAbout(world, channel, from)[0]?.data['media']);
  world.inbox.clear();
  return media;
}

const describedFile = { media_id: expect.any(String), mime_type: expect.stringMatching(/^\w+\/[\w.+-]+$/) };

test(`${files} corrupted files (seed ${seed}): each makes its event, and no turn of the event loop is long`, async () => {
  const random = new Random(seed);
  const types = Object.entries(samples);
  for (let n = 0; n < files; n += perBatch) {
    const batch = Array.from({ length: perBatch }, (_, at) => {
      const [type, sample] = types[(n + at) % types.length] ?? ['', Buffer.alloc(1)];
      return { type, bytes: mutated(sample, random) };
    });
    const media = await withoutStall(pings, maxStallMs, () => told(batch));
    expect(media).toEqual(media.map(() => expect.objectContaining(describedFile)));
    expect(service.process.exitCode).toBeNull();
  }
});
