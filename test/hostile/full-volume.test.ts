/** [faults: 293, 294] A customer sends files without end, and a volume that others have filled. */
import { afterEach, describe, expect, jest } from '@jest/globals';
import { call } from '../support/api.ts';
import { eventsAbout } from '../support/events.ts';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, refusedStart, spawnService } from '../support/service.ts';
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

const statusOf = async (path: string): Promise<number> =>
  (await call('GET', `${env['BASE_URL']}${path}`)).status;

async function metric(name: string): Promise<number> {
  const { text } = await world.service.admin('GET', '/../../metrics');
  return Number(new RegExp(`^trunkline_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

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

  volumeTest(
    'full by another program: not ready while writes fail, ready by itself; a start gives up its reserve; nothing accepted is lost',
    async () => {
      await open(128, { MEDIA_TTL_MS: '1000' });
      const channel = await world.connected('chatapp');
      await until('the reserve', () => volume.names('data').includes('store-reserve'));
      volume.fill();
      await until(
        'a send to fail',
        async () => (await world.send(channel, 'no room', newPerson('chatapp'))).status === 503,
      );
      await until('not to be ready', async () => (await statusOf('/readyz')) === 503);
      expect(await metric('store_reachable')).toBe(0);
      volume.empty();
      await until('to be ready again', async () => (await statusOf('/readyz')) === 200);
      expect((await world.send(channel, 'room again')).body.status).toBe('sent');

      volume.fill();
      await until(
        'a send to fail',
        async () => (await world.send(channel, 'no room', newPerson('chatapp'))).status === 503,
      );
      await service?.kill9();
      volume.fill();
      await start();
      expect(service?.lines.some((line) => line.includes('store.volume_full'))).toBe(true);
      expect(volume.names('data')).not.toContain('store-reserve');
      expect((await world.send(channel, 'after the start')).body.status).toBe('sent');

      await service?.kill9();
      volume.fill();
      service = null;
      expect(await refusedStart(env)).toMatch(/the volume of DATA_DIR \S+ is full: free some space/);
      volume.empty();
      await start();
      const { body } = await world.service.call('GET', '/api/v1/channels', { key: channel.key });
      expect(body.channels).toHaveLength(1);
    },
  );
});
