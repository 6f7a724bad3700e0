/** [faults: 293, 294] A customer sends files without end, and a volume that others have filled. */
import { afterEach, describe, expect, jest } from '@jest/globals';
import { eventsAbout } from '../support/events.ts';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, spawnService } from '../support/service.ts';
import type { ServiceProcess, Simulator } from '../support/service.ts';
import { SmallVolume, volumeTest } from '../support/small-volume.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { World, newAccount } from '../support/world.ts';

jest.setTimeout(180_000);

const mb = 1_024 * 1_024;

let volume: SmallVolume;
let simulator: Simulator;
let inbox: Inbox;
let service: ServiceProcess | null = null;
let env: Record<string, string>;
let world: World;

async function open(megabytes: number, settings: Record<string, string>): Promise<void> {
  volume = SmallVolume.mount(megabytes);
  simulator = await bootSimulator({
    ...laxWorld,
    settings: { status_delay_ms: 5, retry_schedule_ms: Array<number>(300).fill(200) },
  });
  inbox = await Inbox.open();
  env = await environment(simulator.url, { DATA_DIR: `${volume.folder}/data`, ...settings });
  await start();
}

async function start(): Promise<void> {
  service = await spawnService(env);
  world = await World.of(service, simulator, inbox);
}

afterEach(async () => {
  await service?.kill9();
  await simulator.stop();
  await inbox.close();
  volume.unmount();
});

describe('a volume of a hundred megabytes', () => {
  volumeTest(
    'files beyond a bound make an event with `error`; sends and events of everybody go on',
    async () => {
      await open(160, { STORE_RESERVE_BYTES: String(64 * mb), MEDIA_CHANNEL_BYTES: String(40 * mb) });
      const [busy, other] = [
        await world.connected('chatapp'),
        await world.connect(await newAccount(world.service), 'pagechat'),
      ];
      const from = newPerson('chatapp');
      const content = Buffer.alloc(8 * mb, 1).toString('base64');
      for (let n = 0; n < 20; n += 1)
        await world.write(
          busy,
          { type: 'document', mime_type: 'application/pdf', content_base64: content },
          from,
        );
      await until('all events', () => eventsAbout(world, busy, from).length === 20, 90_000);
      const media = eventsAbout(world, busy, from).map(
        ({ data }) => data['media'] as { error?: string; download_url: string | null },
      );
      const refused = media.filter(({ download_url: url }) => url === null);
      expect(media.length - refused.length).toBeLessThanOrEqual(5);
      expect(new Set(refused.map(({ error }) => error))).toEqual(
        new Set([
          'The channel or its account has as many files here as it may have; older ones are erased when they expire',
        ]),
      );
      expect((await world.send(busy, 'hello')).body.status).toBe('sent');
      expect((await world.send(other, 'hello')).body.status).toBe('sent');
      expect(volume.freeBytes).toBeGreaterThan(64 * mb);
    },
  );

  volumeTest('the reserve of the volume stays: files are refused, never sends', async () => {
    await open(96, { STORE_RESERVE_BYTES: String(56 * mb) });
    const channel = await world.connected('chatapp');
    const from = newPerson('chatapp');
    const content = Buffer.alloc(8 * mb, 1).toString('base64');
    for (let n = 0; n < 8; n += 1)
      await world.write(
        channel,
        { type: 'document', mime_type: 'application/pdf', content_base64: content },
        from,
      );
    await until('all events', () => eventsAbout(world, channel, from).length === 8, 90_000);
    const errors = eventsAbout(world, channel, from).map(
      ({ data }) => (data['media'] as { error?: string }).error,
    );
    expect(errors.filter((error) => error !== undefined)).toContain(
      'The service has no room for files at present',
    );
    expect(volume.freeBytes).toBeGreaterThan(40 * mb);
    expect((await world.send(channel, 'hello')).body.status).toBe('sent');
  });
});
