/** The acceptance run of each kind against the simulator: the person with a phone is its control API. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { accept } from '../../src/app/acceptance/index.ts';
import { byProgram } from '../../src/app/acceptance/person.ts';
import { openQuestions } from '../../src/app/acceptance/questions.ts';
import type { Finding, Question } from '../../src/app/acceptance/run.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { builtFile } from '../support/built.ts';
import { freePort } from '../support/ports.ts';
import { adminToken } from '../support/service.ts';
import { asset, follow, person, World } from '../support/world.ts';

jest.setTimeout(60_000);
const samples = {
  image: 'cake.jpg',
  audio: 'voice.ogg',
  video: 'clip.mp4',
  document: 'invoice.pdf',
  voice: 'voice.ogg',
};
const looked = { U1: 'v4', U2: 'yes', U4: '12', typing: 'yes', read: 'no' };
const home = 'https://acceptance.example.com/connected';

let world: World;
const operators = { ADMIN_HOST: '127.0.0.1', ADMIN_PORT: String(await freePort()) };
const admin = { url: `http://127.0.0.1:${operators.ADMIN_PORT}`, token: adminToken };
const folder = mkdtempSync(join(tmpdir(), 'acceptance-'));
const at = (...names: string[]): string => join(folder, ...names);

beforeAll(async () => {
  world = await World.open(operators);
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connected(type: ChannelType, setupUrl: string): Promise<string> {
  await world.simulator.control('dialog', { auto: 'allow', assets: [asset[type]], times: 1 });
  return (await follow(setupUrl, home, asset[type])).href;
}

/** Answers as the person who has the phone, the business and the channel. */
const answerer =
  (type: ChannelType) =>
  async ({ name, facts }: Question): Promise<string> => {
    const [what = '', of = ''] = name.split(': ');
    const { simulator } = world;
    const about = { channel: asset[type], from: person[type] };
    switch (what) {
      case 'connect':
        return connected(type, facts?.['setupUrl'] ?? '');
      case 'write':
        await world.untilRegistered(type);
        await simulator.control('people/write', { ...about, type: of });
        return '';
      case 'quote':
        await simulator.control('people/write', { ...about, text: 'That one', reply_to: 'mid.other' });
        return '';
      case 'ad':
        await simulator.control('people/write', { ...about, text: 'From an ad', referral: true });
        return '';
      case 'edit': {
        const { id } = await simulator.control('people/write', { ...about, text: 'Before' });
        await simulator.control('people/write', { ...about, type: 'edit', message_id: id, text: 'After' });
        return '';
      }
      case 'webhook':
        return world.inbox.url;
      case 'endpoint':
        return `http://127.0.0.1:${facts?.['port'] ?? ''}/`;
      case 'react':
        await simulator.control('people/write', { ...about, type: 'reaction', message_id: 'x', emoji: '👍' });
        return '';
      case 'read':
        await simulator.control('people/read', about);
        return '';
      case 'file':
        // Photo accounts take no ogg.
        if (type === 'photoapp' && of === 'audio') return 'https://files.example/voice.m4a';
        return `https://files.example/${Object.entries(samples).find(([kind]) => kind === of)?.[1] ?? ''}`;
      case 'look':
        return Object.entries(looked).find(([question]) => question === of)?.[1] ?? '';
      case 'burst':
        return 'yes';
      case 'remove':
        await (type === 'chatapp'
          ? simulator.control('access', { waba_id: '311200000000001', wait: true })
          : simulator.control('tokens/kill', { asset: asset[type], death: 'removed' }));
        return 'done';
      case 'review':
        await simulator.control('templates', { name: await templateName(), event: 'APPROVED', wait: true });
        return '';
      default:
        return '';
    }
  };

async function templateName(): Promise<string> {
  const path = `/311200000000001/message_templates?name=acceptance&access_token=EAAbusiness-311200000000001`;
  const answered = await fetch(world.simulator.url + path);
  return /"name":"(acceptance_\w+)"/.exec(await answered.text())?.[1] ?? '';
}

const everyKind = ['connect', 'receive text', 'receive image', 'receive audio', 'receive video', 'download a file', 'send a text', 'send image', 'status message.read', 'a text with a quote', 'a text with buttons', 'a webhook for read and typing', 'add an endpoint', 'an event at the endpoint', 'remove the endpoint', 'show typing', 'mark as read', 'a reaction of the person', 'profile', 'a text too long', 'no recipient', 'end: the channel is inactive', 'end: another account can connect it', 'end: the account is suspended']; // oxfmt-ignore
const only = {
  chatapp: ['receive location', 'receive sticker', 'status message.delivered', 'send document', 'send a place', 'send contacts', 'send a reaction', 'take the reaction back', 'send voice', 'create a template', 'delete a template'],
  photoapp: ['receive share'],
  pagechat: ['receive file', 'receive sticker', 'receive location', 'status message.delivered'],
}; // oxfmt-ignore
const settled: Readonly<Record<ChannelType, readonly (readonly [question: string, step: string, seen: RegExp])[]>> = {
  chatapp: [
    ['U1', 'dialog: form of the sign-up', /^v4$/],
    ['U2', 'dialog: offers dual use', /^yes$/],
    ['U3', 'permissions of the token', /^scopes .*whatsapp_business_messaging.*; granular .*\(1 targets\).*; no end$/],
    ['U4', 'dialog: seconds until the code was used', /^12$/],
    ['U7', 'a send without access', /^\d{3}/],
    ['U8', 'a user id that does not exist', /^\d{3}/],
    ['U9', '50 sends to one person', /^\d{3}/],
    ['U10', 'delete it again', /^\d{3}/],
    ['U11', 'edit an approved template', /^\d{3}/],
    ['U13', 'hosts of files', /^<address>$/],
  ],
  photoapp: [
    ['pages 4', 'a text that is edited', /^message\.received text/],
    ['pages 6', 'the tag human_agent', /^\d{3}/],
    ['pages 5', '600 letters of 1200 bytes', /^\d{3}/],
    ['pages 9', 'hosts of files', /^<address>$/],
  ],
  pagechat: [
    ['pages 4', 'a text that is edited', /^message\.received text/],
    ['pages 9', 'hosts of files', /^<address>$/],
  ],
}; // oxfmt-ignore

describe.each(channelTypes)('%s', (channelType) => {
  let findings: readonly Finding[] = [];
  let channelId: string | null = null;
  let email = '';
  const rowOf = (step: string): Finding | undefined => findings.find((finding) => finding.step === step);
  beforeAll(async () => {
    const { url } = world.service;
    const options = { url, admin, channelType, folder: at(channelType), patienceMs: 8_000 };
    ({ findings, channelId, email } = await accept({ ...options, person: { ask: answerer(channelType) } }));
  });

  test('nothing differs from what the service believes', () => {
    expect(findings.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
  });

  test('what a message tells beside its content is recorded by the names of its members', () => {
    expect(rowOf('a message that answers another')?.seen).toContain('reply_to (upstream_message_id)');
    expect(rowOf('a message that comes from an ad')?.seen).toMatch(/referral \(source .*source_id/);
  });

  test('each step was tried and is as believed', () => {
    const steps = [...everyKind, ...only[channelType]];
    expect(steps.map((step) => [step, rowOf(step)?.verdict])).toEqual(
      steps.map((step) => [step, 'as believed']),
    );
  });

  test('what the phone shows is recorded', () => {
    const seen = ['show typing', 'mark as read'].map((step) => rowOf(`${step}: seen on the phone`)?.seen);
    expect(seen).toEqual(['yes', 'no']);
  });

  test('open questions are settled, and the table says how', () => {
    const table = readFileSync(at(channelType, 'table.md'), 'utf8');
    for (const [settles, step, seen] of settled[channelType]) {
      expect([step, rowOf(step)]).toEqual([
        step,
        expect.objectContaining({ settles, verdict: 'recorded', seen: expect.stringMatching(seen) }),
      ]);
      expect(table).toContain(`| ${step}: ${rowOf(step)?.seen} |`);
    }
    const beyond = openQuestions.filter(({ why }) => why !== null).map(({ id }) => id);
    const claimed = findings.flatMap(({ settles }) => settles?.split(', ') ?? []);
    expect(claimed.filter((id) => beyond.includes(id))).toEqual([]);
  });

  test('the report has a row for each step and question, and no id, number, text, token or address', () => {
    const table = readFileSync(at(channelType, 'table.md'), 'utf8');
    const exchanges = readFileSync(at(channelType, 'exchanges.json'), 'utf8');
    expect(table.split('\n').length).toBe(findings.length + openQuestions.length + 6);
    expect(exchanges).toContain('message.received');
    const secrets = [person[channelType], asset[channelType], adminToken, channelId ?? '', email, 'https://', 'Hello', 'Mia', '127.0.0.1']; // oxfmt-ignore
    expect(secrets.filter((secret) => (exchanges + table).includes(secret))).toEqual([]);
  });
});

test('a run whose dialog was declined suspends its account all the same, and has a report', async () => {
  const { url } = world.service;
  const options = {
    url,
    admin,
    channelType: 'pagechat' as const,
    patienceMs: 1_000,
  };
  const declined = accept({ ...options, folder: at('declined'), person: { ask: async () => '' } });
  await expect(declined).rejects.toThrow('the dialog ended without a code: no address was given');
  expect(readFileSync(at('declined', 'table.md'), 'utf8')).toContain(
    '| as believed | end: the account is suspended |',
  );
});

test('a program is called with the name of a question and its facts', async () => {
  const program = at('answer');
  writeFileSync(program, '#!/bin/sh\nprintf "%s/%s\\n" "$1" "$2"\n', { mode: 0o700 });
  const question = { name: 'connect', text: 'Open', facts: { setupUrl: 'https://x.example' } };
  expect(await byProgram(program).ask(question)).toBe('connect/{"setupUrl":"https://x.example"}');
});

test('the page of the run has every open question, with why no step settles it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating/acceptance.md'), 'utf8');
  const unsettled = openQuestions.flatMap(({ id, asks, why }) =>
    why === null ? [] : [`| ${id} | ${asks} | ${why} |`],
  );
  expect(unsettled.filter((row) => !page.includes(row))).toEqual([]);
  const steps = openQuestions.filter(({ why }) => why === null).map(({ id }) => id);
  expect(steps.filter((id) => !new RegExp(`\\| ${id}(,| \\|)|, ${id}(,| \\|)`).test(page))).toEqual([]);
});

describe('trunkline acceptance', () => {
  const start = (words: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, [builtFile('src/cli.js'), 'acceptance', ...words], {
      env: { PATH: process.env['PATH'] ?? '', ADMIN_TOKEN: adminToken, ...env },
      cwd: folder,
    });
    const printed = { out: '', error: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed.error += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, printed, ended };
  };

  test('answers come from a file, and what it lacks from a pipe; what is typed is not in the report', async () => {
    const answers = { 'look: U1': 'my secret form', 'look: U2': '', burst: '', remove: '', review: '' };
    const files = Object.fromEntries(Object.keys(samples).map((type) => [`file: ${type}`, '']));
    const skipped = Object.fromEntries(
      ['image', 'audio', 'video', 'document', 'sticker', 'location'].map((type) => [
        `write: ${type}`,
        'skip',
      ]),
    );
    writeFileSync(at('answers.json'), JSON.stringify({ ...answers, ...files, ...skipped }));
    const words = ['--answers', at('answers.json'), '--report', at('piped'), '--patience', '8'];
    const { child, printed, ended } = start(words, { PORT: new URL(world.service.url).port, ...operators });
    await world.simulator.control('access', { waba_id: '311200000000001', lost: false });
    const about = { channel: asset.chatapp, from: person.chatapp };
    let asked = 0;
    child.stdout.on('data', () => {
      if (!printed.out.endsWith('\n> ') || printed.out.length === asked) return;
      const question = printed.out.slice(asked);
      asked = printed.out.length;
      void reply(question).then((line) => child.stdin.write(`${line}\n`));
    });
    async function reply(question: string): Promise<string> {
      const [setupUrl] = /http\S+setup\S*/.exec(question) ?? [];
      if (setupUrl !== undefined) return connected('chatapp', setupUrl);
      if (question.includes('type text')) await world.simulator.control('people/write', about);
      if (question.includes('Open the chat')) await world.simulator.control('people/read', about);
      return question.includes('Seconds') ? '9 or so' : '';
    }
    const code = await ended;
    expect([code, printed.error, printed.out.match(/^\| differs .*/gm)]).toEqual([0, '', null]);
    expect(printed.out).toMatch(/\nThe account acceptance-\S+ is suspended, its channel \S+ inactive/);
    const report = readFileSync(at('piped', 'table.md'), 'utf8');
    expect(report).toContain(
      '| U1 | which form of the sign-up the dialog shows | dialog: form of the sign-up: <text> |',
    );
    expect(report).toContain('| not settled: its step was skipped |');
    expect(['secret', '9 or so'].filter((typed) => report.includes(typed))).toEqual([]);
  });

  test('without a service it says in one line how to start one', async () => {
    const port = String(await freePort());
    const { printed, ended } = start([], { PORT: port });
    expect([await ended, printed.error]).toEqual([
      1,
      `no service is ready at http://localhost:${port}: start it with "npm start" (installed: "trunkline start")\n`,
    ]);
  });
});
