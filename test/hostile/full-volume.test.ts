/** [faults: 293, 294] A customer sends files without end, and a volume that others have filled. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
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
import type { Channel } from '../support/world.ts';

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
      // The volume has room for what is on its way beside what is kept: the channel's bound is met first.
      await open(128, { STORE_RESERVE_BYTES: String(32 * mb), MEDIA_CHANNEL_BYTES: String(40 * mb) });
      const [busy, other] = [
        await world.connected('chatapp'),
        await world.connect(await newAccount(world.service), 'pagechat'),
      ];
      const from = newPerson('chatapp');
      const content = Buffer.alloc(8 * mb, 1).toString('base64');
      for (let n = 0; n < 10; n += 1)
        await world.write(
          busy,
          { type: 'document', mime_type: 'application/pdf', content_base64: content },
          from,
        );
      await until('all events', () => eventsAbout(world, busy, from).length === 10, 90_000);
      const media = eventsAbout(world, busy, from).map(({ data }) => Object(data['media']));
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
    const errors = eventsAbout(world, channel, from).map(({ data }) => Object(data['media']).error);
    expect(errors.filter((error) => error !== undefined)).toContain(
      'The service has no room for files at present',
    );
    expect(volume.freeBytes).toBeGreaterThan(40 * mb);
    expect((await world.send(channel, 'hello')).body.status).toBe('sent');
  });
});

/** Answers in time, so that no client of a full store waits longer than a second. */
const soon = { SEND_QUEUED_AFTER_MS: '1000', MAX_QUEUE_AGE_MS: '1000' };
const sendsAtOnce = 20;
const timeoutMs = 60_000;

/** What clients were told of the sends to `channel`. */
class Sends {
  readonly #channel: Channel;
  readonly accepted: string[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Sends to new people at once; resolves with the statuses. */
  async round(count = sendsAtOnce): Promise<number[]> {
    const answers = await Promise.all(
      Array.from({ length: count }, () => world.send(this.#channel, 'no room', newPerson('chatapp'))),
    );
    for (const { status, body } of answers) if (status === 200) this.accepted.push(body.message_id);
    return answers.map(({ status }) => status);
  }

  /** On a busy machine a send may wait in the queue for too long. */
  async untilAllAccepted(): Promise<void> {
    await until('a round that is accepted', async () =>
      (await this.round()).every((status) => status === 200),
    );
  }

  /** Resolves when each accepted send is stored as sent. */
  async untilAllSent(): Promise<void> {
    const { id: channelId, key } = this.#channel;
    for (const id of this.accepted)
      await until(`${id} to be sent`, async () => {
        const { body } = await world.service.call('GET', `/api/v1/channels/${channelId}/messages/${id}`, {
          key,
        });
        return ['sent', 'delivered', 'read'].includes(body.status);
      });
  }
}

describe('a volume that another program fills', () => {
  const readiness = () => call('GET', `${env['BASE_URL']}/readyz`);

  /** Rounds of sends, until the WAL has no room for one either; a small write may still fit in meanwhile. */
  const untilNotReady = (sends: Sends): Promise<unknown> =>
    until('sends to fail, and the node not to be ready', async () => {
      const statuses = await sends.round();
      expect(new Set([...statuses, 200, 503])).toEqual(new Set([200, 503]));
      const { status, body } = await readiness();
      return statuses.includes(503) && status === 503 && body.parts.store === 'unreachable';
    });

  volumeTest(
    'the node is not ready while writes fail, ready by itself afterwards, and nothing accepted is lost',
    async () => {
      await open(64, soon);
      const sends = new Sends(await world.connected('chatapp'));
      await sends.round();
      volume.fill();
      await untilNotReady(sends);
      const { text } = await world.service.admin('GET', '/../../metrics');
      expect(text).toMatch(/^trunkline_store_reachable 0$/m);
      volume.empty();
      await until('to be ready again', async () => (await readiness()).status === 200);
      await sends.untilAllAccepted();
      await sends.untilAllSent();
    },
    timeoutMs,
  );

  volumeTest(
    'a start gives up its reserve and erases expired files, and nothing accepted before is lost; if that is not enough it ends with one line',
    async () => {
      await open(128, { ...soon, MEDIA_TTL_MS: '1000', STORE_RESERVE_BYTES: String(mb) });
      const channel = await world.connected('chatapp');
      const sends = new Sends(channel);
      const reserve = (): boolean => volume.names('data').includes('store-reserve');
      await until('the reserve', reserve);
      const content = Buffer.alloc(mb, 1).toString('base64');
      await world.write(channel, {
        type: 'document',
        mime_type: 'application/pdf',
        content_base64: content,
      });
      await until('the file', () => inbox.ofType('message.received').length === 1);
      const [file = ''] = volume.names('data/media');
      const { mtimeMs } = statSync(join(volume.folder, 'data/media', file));
      await until('the file to expire', () => Date.now() > mtimeMs + 1_000);
      await sends.round();
      volume.fill();
      await untilNotReady(sends);
      await service?.kill9();
      volume.fill();
      await start();
      const said = service?.lines.find((line) => line.includes('store.volume_full')) ?? '{}';
      expect(JSON.parse(said)).toMatchObject({ files: 1, free_bytes: expect.any(Number) });
      expect(reserve()).toBe(false);
      expect(volume.names('data/media')).toEqual([]);
      await sends.untilAllAccepted();
      await sends.untilAllSent();
      expect(service?.lines.filter((line) => line.includes('store.write_failed'))).toEqual([]);

      await service?.kill9();
      volume.fill();
      expect(await refusedStart(env)).toMatch(/the volume of DATA_DIR \S+ is full: free some space/);
      volume.empty();
      await start();
      await sends.untilAllSent();
    },
    timeoutMs,
  );
});
