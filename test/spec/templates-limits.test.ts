/** [spec: Limits; operator-interface §2] */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { draft, templatesOf } from '../support/templates.ts';
import type { Templates } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
const components = [{ type: 'BODY', text: 'Your order is ready.' }];

let names = 0;
const newName = (): string => `limited_${(names += 1)}`;

async function approved(simulator: Simulator, templates: Templates, name = newName()) {
  const { body } = await templates.create(draft(name));
  await simulator.control(`templates/${body.meta_template_id}`, { event: 'APPROVED' });
  return until('the approval', async () => {
    const known = (await templates.read(body.id)).body;
    return known.status === 'APPROVED' ? known : null;
  });
}

describe("with windows as long as upstream's", () => {
  let dataDir: string;
  let simulator: Simulator;
  let service: Service;
  let world: World;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'templates-'));
    simulator = await bootSimulator(contractWorld);
    service = await bootService(simulator.url, { DATA_DIR: dataDir });
    world = await World.of(service, simulator);
  });
  afterAll(async () => {
    await world.inbox.close();
    await service.stop();
    await simulator.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function restart(): Promise<void> {
    const { PORT: port = '' } = service.env;
    await service.stop();
    service = await bootService(simulator.url, { DATA_DIR: dataDir, PORT: port });
  }

  test('edits, names and creations are counted across channels, accounts and a restart', async () => {
    const first = await world.connected('chatapp');
    const other = await world.connected('chatapp', { upstream: '422300000000012' });
    const [mine, theirs] = [templatesOf(service, first), templatesOf(service, other)];

    // An approved template may be edited once in 24 hours.
    const edited = await approved(simulator, mine);
    expect((await mine.update(edited.id, { components })).status).toBe(200);
    await simulator.control(`templates/${edited.meta_template_id}`, { event: 'APPROVED' });
    await until('the approval', async () => (await mine.read(edited.id)).body.status === 'APPROVED');

    // The name of a deleted approved template is blocked for 30 days, for the other account too.
    const name = newName();
    const doomed = await approved(simulator, mine, name);
    expect((await mine.remove(doomed.id)).status).toBe(200);
    const blocked = await theirs.create(draft(name));
    expect([blocked.status, blocked.body.detail]).toEqual([400, expect.stringMatching(isoTime)]);
    const inGerman = await theirs.create(draft(name, { language: 'de' }));
    expect([inGerman.status, inGerman.body.detail]).toEqual([400, expect.stringMatching(isoTime)]);
    // While another language exists, only the deleted language is blocked.
    const spoken = newName();
    const english = await approved(simulator, mine, spoken);
    expect((await mine.create(draft(spoken, { language: 'de' }))).status).toBe(201);
    expect((await mine.remove(english.id)).status).toBe(200);
    expect((await theirs.create(draft(spoken))).status).toBe(400);
    expect((await theirs.create(draft(spoken, { language: 'fr' }))).status).toBe(201);
    // The name of a template that was never approved is free at once.
    const pending = newName();
    const { body } = await mine.create(draft(pending));
    await mine.remove(body.id);
    expect((await mine.create(draft(pending))).status).toBe(201);

    await restart();
    const after = templatesOf(service, first);
    const again = await after.update(edited.id, { components });
    expect([again.status, again.body.detail]).toEqual([429, expect.stringMatching(isoTime)]);
    const seconds = Number(again.headers.get('retry-after'));
    expect(seconds > 86_000 && seconds <= 86_400).toBe(true);
    expect((await after.create(draft(name))).body.detail).toMatch(isoTime);

    // A hundred creations an hour in all. Seven were made; creations that the service refused do not count.
    const both = [after, templatesOf(service, other)] as const;
    const many = await Promise.all(
      Array.from({ length: 110 }, (_, at) => both[at % 2 === 0 ? 0 : 1].create(draft(newName()))),
    );
    const made = many.filter(({ status }) => status === 201).length;
    const refused = many.filter(({ status }) => status === 429);
    expect([made + refused.length, made]).toEqual([110, 93]);
    const [one] = refused;
    expect(one?.body.detail).toMatch(isoTime);
    expect(Number(one?.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });

  test('an edit that upstream broke off can be tried again at once, as its 502 says', async () => {
    const channel = await world.connected('chatapp', { upstream: '422300000000102' });
    const templates = templatesOf(service, channel);
    const template = await approved(simulator, templates);
    const match = { path: template.meta_template_id, method: 'POST' };
    await simulator.control('faults', { match, act: 'refuse', code: 1, status: 500 });
    expect((await templates.update(template.id, { components })).status).toBe(502);
    expect((await templates.update(template.id, { components })).status).toBe(200);
  });
});

describe('with no pause between edits', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ TEMPLATE_EDIT_COOLDOWN_MS: '1' });
  });
  afterAll(() => world.close());

  test('an approved template can be edited ten times in 30 days; the eleventh refusal names the time when it can be edited again', async () => {
    const templates = templatesOf(world.service, await world.connected('chatapp'));
    const template = await approved(world.simulator, templates);
    for (let edits = 0; edits < 10; edits += 1) {
      expect((await templates.update(template.id, { components })).status).toBe(200);
      await world.simulator.control('clock', { advance_ms: 86_400_000 });
      await world.simulator.control(`templates/${template.meta_template_id}`, { event: 'APPROVED' });
      await until('the approval', async () => (await templates.read(template.id)).body.status === 'APPROVED');
    }
    const { status, body, headers } = await templates.update(template.id, { components });
    expect([status, body.detail]).toEqual([429, expect.stringMatching(isoTime)]);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds > 2_590_000 && seconds <= 2_592_000).toBe(true);
    expect((await templates.read(template.id)).body.status).toBe('APPROVED');
  });
});

describe('with short windows, which are kept exactly', () => {
  let world: World;
  let templates: Templates;
  const windowMs = 500;
  beforeAll(async () => {
    world = await World.open({
      TEMPLATE_CREATE_WINDOW_MS: '500',
      TEMPLATE_EDIT_COOLDOWN_MS: '500',
      TEMPLATE_EDIT_WINDOW_MS: '500',
      TEMPLATE_NAME_BLOCK_MS: '500',
    });
    templates = templatesOf(world.service, await world.connected('chatapp'));
  });
  afterAll(() => world.close());

  /** The time that a refusal names. */
  const timeIn = (text: string): number => Date.parse(isoTime.exec(text)?.[0] ?? '');

  test('an approved template can be edited again at the time that the refusal named', async () => {
    const template = await approved(world.simulator, templates);
    const before = Date.now();
    await templates.update(template.id, { components });
    await world.simulator.control('clock', { advance_ms: 86_400_000 });
    await world.simulator.control(`templates/${template.meta_template_id}`, { event: 'APPROVED' });
    await until('the approval', async () => (await templates.read(template.id)).body.status === 'APPROVED');
    const refused = await templates.update(template.id, { components });
    // On a busy machine the window may be over already.
    if (refused.status === 429) {
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(timeIn(refused.body.detail)).toBeGreaterThanOrEqual(before + windowMs);
      await until(
        'the window to end',
        async () => (await templates.update(template.id, { components })).status === 200,
      );
    }
    expect((await templates.read(template.id)).body.status).toBe('PENDING');
    expect(Date.now()).toBeGreaterThanOrEqual(before + windowMs);
  });

  test('rejected and paused templates can be edited without limit', async () => {
    const template = await approved(world.simulator, templates);
    for (const event of ['REJECTED', 'PAUSED', 'REJECTED']) {
      await world.simulator.control(`templates/${template.meta_template_id}`, { event });
      await until(event, async () => (await templates.read(template.id)).body.status === event);
      expect((await templates.update(template.id, { components })).status).toBe(200);
    }
  });

  test('a blocked name is accepted here when the time is over, and upstream may still refuse it', async () => {
    const template = await approved(world.simulator, templates);
    const before = Date.now();
    await templates.remove(template.id);
    const passedOn = await until('upstream to be asked', async () => {
      const { body } = await templates.create(draft(template.name));
      return String(body.detail).includes('2388023') ? body.detail : null;
    });
    expect(Date.now()).toBeGreaterThanOrEqual(before + windowMs);
    expect(passedOn).toContain('Upstream refused the request');
  });
});
