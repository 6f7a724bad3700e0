/** [spec: message.received data, rule 2; faults: 1-5, I1] kill -9 while files are fetched: no message that was answered 200 is lost. */
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { eventsAbout } from '../support/events.ts';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import type { Channel, ChannelType } from '../support/world.ts';

jest.setTimeout(90_000);

let killable: KillableService;
let channels: Channels;
let pagechat: Channel;
beforeAll(async () => {
  killable = await KillableService.open({
    MEDIA_RETRY_DELAYS_MS: '50,50',
    WEBHOOK_RETRY_DELAYS_MS: '300,300,300',
  });
  ({ channels } = await connectAll(killable.world));
  ({ pagechat } = channels);
}, 90_000);
afterAll(() => killable.close());
beforeEach(() => killable.inbox.clear());

interface Written {
  media: { id: string }[];
  answers: number[];
}

async function downloadsOf({ media }: Written): Promise<number> {
  const { media: all } = await killable.simulator.control('media');
  const own = all.filter(({ id }: { id: string }) => media.some((one) => one.id === id));
  return own.reduce((sum: number, { downloads }: { downloads: number }) => sum + downloads, 0);
}

/** The data of each event about this person; an event that was POSTed repeatedly counts once. */
function told(from: string, channel = pagechat): Record<string, unknown>[] {
  const byId = new Map(
    eventsAbout(killable.world, channel, from).map(({ data }) => [data['message_id'], data]),
  );
  return [...byId.values()];
}

/** Only files: a delivery that was in flight at two of the crashes is quarantined as well. */
async function quarantined(): Promise<{ id: string; reason: string; channel_id: string; kind: string }[]> {
  const { body } = await killable.process.admin('GET', '/quarantine');
  return body.items.filter(({ kind }: { kind: string }) => kind === 'files');
}

async function canBeDownloaded(data: Record<string, unknown>, { key } = pagechat): Promise<number> {
  const { media_id: id } = Object(data['media']);
  return (await killable.process.call('GET', `/api/v1/media/${id}`, { key })).status;
}

interface Step {
  step: string;
  type: ChannelType;
  message: Record<string, unknown>;
  /** How often its files have been requested when the service is killed. */
  asked: number;
  parts: number;
}

const stalls = { media_fault: 'stall', media_times: 1 };
const image = { type: 'image' };
const steps: Step[] = [
  {
    step: 'before the first byte',
    type: 'chatapp',
    message: { ...image, media_delay_ms: 2_000 },
    asked: 1,
    parts: 1,
  },
  {
    step: 'before the first byte',
    type: 'photoapp',
    message: { ...image, media_delay_ms: 2_000 },
    asked: 1,
    parts: 1,
  },
  { step: 'in the middle', type: 'chatapp', message: { type: 'voice', ...stalls }, asked: 1, parts: 1 },
  { step: 'in the middle', type: 'photoapp', message: { type: 'video', ...stalls }, asked: 1, parts: 1 },
  {
    step: 'with one file stored and another on its way',
    type: 'photoapp',
    message: { attachments: [image, { ...image, ...stalls }] },
    asked: 2,
    parts: 2,
  },
  {
    step: 'with one file stored and another on its way',
    type: 'pagechat',
    message: { attachments: [{ ...image, ...stalls }, { type: 'file' }] },
    asked: 2,
    parts: 2,
  },
];

test.each(steps)(
  'kill -9 $step, $type: fetched again, one event',
  async ({ type, message, asked, parts }) => {
    const channel = channels[type];
    const from = newPerson(type);
    const written = await killable.world.write(channel, { ...message, wait: true }, from);
    expect(written.answers).toEqual([200]);
    await until('the files to be asked for', async () => (await downloadsOf(written)) >= asked);
    await killable.kill();
    expect(told(from, channel)).toEqual([]);
    await killable.restart();
    await until('every part', () => told(from, channel).length >= parts);
    const all = told(from, channel);
    expect(all).toHaveLength(parts);
    for (const data of all) expect(await canBeDownloaded(data, channel)).toBe(200);
    expect(await downloadsOf(written)).toBe(asked + parts);
  },
);

test('kill -9 with the event stored and not yet acknowledged by the receiver: the same event again, no file is fetched again', async () => {
  const from = newPerson('chatapp');
  killable.inbox.answerAlways('hang');
  const written = await killable.world.write(channels.chatapp, { ...image, wait: true }, from);
  await until('the event to be posted', () => told(from, channels.chatapp).length === 1);
  await killable.kill();
  killable.inbox.answerAlways(200);
  const before = killable.inbox.arrivals.length;
  await killable.restart();
  await until('it to be posted again', () => killable.inbox.arrivals.length > before);
  const [data, ...more] = told(from, channels.chatapp);
  expect([more, await canBeDownloaded(data ?? {}, channels.chatapp), await downloadsOf(written)]).toEqual([
    [],
    200,
    1,
  ]);
});

test('kill -9 in the middle of a download: fetched again, one event for each part and for the text that followed', async () => {
  const from = newPerson('pagechat');
  const written = await killable.world.write(
    pagechat,
    { text: 'words-of-a-caption', attachments: [{ ...image, ...stalls }, { type: 'file' }], wait: true },
    from,
  );
  const text = await killable.world.write(pagechat, { text: 'and this', wait: true }, from);
  expect([written.answers, text.answers]).toEqual([[200], [200]]);
  await until('both files to be asked for', async () => (await downloadsOf(written)) >= 2);
  await killable.kill();
  expect(told(from)).toEqual([]);
  expect((await everythingStored(killable.env['DATA_DIR'] ?? '')).includes('words-of-a-caption')).toBe(false);
  await killable.restart();
  await until('three events', () => told(from).length >= 3);
  const all = told(from);
  const files = all.filter((data) => 'media' in data);
  // Parts arrive in order; a message that follows them may arrive together with the second part.
  expect(files.map(({ type, caption }) => [type, caption])).toEqual([
    ['image', 'words-of-a-caption'],
    ['document', undefined],
  ]);
  expect([all[0], all.map(({ text: said }) => said)]).toEqual([
    files[0],
    expect.arrayContaining(['and this']),
  ]);
  for (const file of files) expect(await canBeDownloaded(file)).toBe(200);
});

test('a file that crashes its node twice is quarantined and reported as failed; other files arrive; an operator may retry it', async () => {
  const channel = channels.pagechat;
  const [bad, good] = [newPerson('pagechat'), newPerson('pagechat')];
  const written = await killable.world.write(
    channel,
    {
      attachments: [{ ...image, media_fault: 'stall', media_times: 2 }],
      caption: 'a caption of theirs',
      wait: true,
    },
    bad,
  );
  for (const asked of [1, 2]) {
    await until('the file to be asked for', async () => (await downloadsOf(written)) === asked);
    await killable.kill();
    await killable.restart();
  }
  await until('its event', () => told(bad).length === 1);
  expect(told(bad)[0]?.['media']).toMatchObject({
    download_url: null,
    error: 'The file could not be processed',
  });
  expect(await downloadsOf(written)).toBe(2);
  await killable.world.write(channel, { attachments: [image] }, good);
  await until('another file', () => told(good).length === 1);
  expect(await canBeDownloaded(told(good)[0] ?? {})).toBe(200);

  const [item] = (await quarantined()).filter(({ reason }) => reason === 'ended_node');
  expect(item).toMatchObject({
    channel_id: channel.id,
    kind: 'files',
    shape: 'image',
    times: 2,
    can_be_retried: true,
  });
  expect((await everythingStored(killable.env['DATA_DIR'] ?? '')).includes('a caption of theirs')).toBe(
    false,
  );
  expect((await killable.process.admin('POST', `/quarantine/${item?.id}/retry`)).status).toBe(200);
  await until('the file itself', () => Object(told(bad)[0]?.['media']).download_url !== null);
  expect(await canBeDownloaded(told(bad)[0] ?? {})).toBe(200);
  expect(await quarantined()).toEqual([]);
});

test('kill -9 at any moment of thirty messages: each makes its events, none twice under another id', async () => {
  const people = Array.from({ length: 30 }, () => newPerson('pagechat'));
  const written: Written[] = [];
  for (const from of people) {
    const attachments = [{ type: 'image', media_delay_ms: 40 }, { type: 'file' }];
    written.push(await killable.world.write(pagechat, { attachments, wait: true }, from));
  }
  const asked = async (): Promise<number> =>
    (await Promise.all(written.map(downloadsOf))).reduce((sum, one) => sum + one, 0);
  for (const files of [5, 25]) {
    await until(`${files} more files to be asked for`, async () => (await asked()) >= files);
    await killable.kill();
    await killable.restart();
  }
  await until('all to be told', () => people.every((from) => told(from).length >= 2), 60_000);
  const aside = new Set((await quarantined()).filter(({ kind }) => kind === 'files').map(({ id }) => id));
  for (const from of people) {
    const [first, second, ...more] = told(from);
    expect([second?.['message_id'], more]).toEqual([`${String(first?.['message_id'])}.2`, []]);
    // A file that alone was in flight at both crashes is quarantined: the service cannot know that it was not the cause. [faults: 102]
    if (Object(first?.['media']).download_url === null) aside.delete([...aside][0] ?? '');
    else expect(await canBeDownloaded(first ?? {})).toBe(200);
  }
  expect([...aside]).toEqual([]);
  // At most one more POST of a delivery for each kill, with the same bytes. [faults: I5]
  const posts = new Map<unknown, Set<string>>();
  for (const { headers, raw } of killable.inbox.arrivals) {
    const id = headers['x-webhook-id'];
    posts.set(id, (posts.get(id) ?? new Set()).add(raw.toString()));
  }
  expect([...posts.values()].filter((bodies) => bodies.size !== 1)).toEqual([]);
});
