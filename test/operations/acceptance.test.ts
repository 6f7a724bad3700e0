/** The acceptance run against the simulator: the person with a phone is its control API. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { accept } from '../../src/app/acceptance/index.ts';
import type { Finding, Question, Run } from '../../src/app/acceptance/run.ts';
import { adminToken } from '../support/service.ts';
import { asset, follow, person, World } from '../support/world.ts';

jest.setTimeout(60_000);
const samples = { image: 'cake.jpg', audio: 'voice.ogg', video: 'clip.mp4', document: 'invoice.pdf' };

let world: World;
let run: Run;
const folder = mkdtempSync(join(tmpdir(), 'acceptance-'));

beforeAll(async () => {
  world = await World.open();
  const { url } = world.service;
  run = await accept({
    url,
    adminToken,
    channelType: 'chatapp',
    person: { ask: answer },
    folder,
    patienceMs: 8_000,
  });
});
afterAll(() => world.close());

async function answer({ name, facts }: Question): Promise<string> {
  const [what = '', of = ''] = name.split(': ');
  const { simulator } = world;
  switch (what) {
    case 'connect':
      await simulator.control('dialog', { auto: 'allow', assets: [asset.chatapp], times: 1 });
      return (await follow(facts?.['setupUrl'] ?? '', 'https://acceptance.example.com/connected')).href;
    case 'write':
      await simulator.control('people/write', { channel: asset.chatapp, from: person.chatapp, type: of });
      return '';
    case 'read':
      await simulator.control('people/read', { channel: asset.chatapp, from: person.chatapp });
      return '';
    case 'file':
      return `https://files.example/${Object.entries(samples).find(([type]) => type === of)?.[1] ?? ''}`;
    case 'burst':
      return 'yes';
    case 'remove':
      await simulator.control('access', { waba_id: '311200000000001', wait: true });
      return 'done';
    case 'review':
      await simulator.control('templates', { name: await templateName(), event: 'APPROVED', wait: true });
      return '';
    default:
      return '';
  }
}

async function templateName(): Promise<string> {
  const path = `/311200000000001/message_templates?name=acceptance&access_token=EAAbusiness-311200000000001`;
  const answered = await fetch(world.simulator.url + path);
  return /"name":"(acceptance_\w+)"/.exec(await answered.text())?.[1] ?? '';
}

const rowOf = (step: string): Finding | undefined => run.findings.find((finding) => finding.step === step);

test('nothing differs from what the adapter believes', () => {
  expect(run.findings.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
});

test.each([
  'connect', 'receive text', 'receive image', 'receive location', 'download a file', 'send a text', 'status message.delivered',
  'status message.read', 'send document', 'create a template', 'delete a template', 'profile', 'a text too long',
])('%s was tried and is as believed', (step) => {
  expect(rowOf(step)?.verdict).toBe('as believed');
}); // oxfmt-ignore

test.each([
  ['U7', 'a send without access'],
  ['U9', '50 sends to one person'],
  ['U8', 'a user id that does not exist'],
  ['U10', 'delete it again'],
  ['U11', 'edit an approved template'],
])('the answer to %s is recorded', (settles, step) => {
  expect(rowOf(step)).toMatchObject({ settles, verdict: 'recorded', seen: expect.stringMatching(/^\d{3}/) });
});

test('the report has a row for each step, and no id, number, text, token or address', () => {
  const table = readFileSync(join(folder, 'table.md'), 'utf8');
  const exchanges = readFileSync(join(folder, 'exchanges.json'), 'utf8');
  expect(table.split('\n').length).toBe(run.findings.length + 3);
  expect(exchanges).toContain('message.received');
  for (const secret of [
    person.chatapp,
    asset.chatapp,
    adminToken,
    run.channelId,
    'https://',
    'Hello',
    'Mia',
    '127.0.0.1',
  ])
    expect(exchanges + table).not.toContain(secret);
});
