/**
 * [operator-interface §3] Third-party generators make clients from /openapi.json; each client compiles and sends one message.
 * `install.sh` installs the generators that a machine supports; the tests of missing ones are skipped by name.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findProgram } from '../../support/executables.ts';
import { newPerson } from '../../support/sends.ts';
import { World } from '../../support/world.ts';
import type { Channel } from '../../support/world.ts';
import * as programs from './programs.ts';
import type { Sending } from './programs.ts';

const place = process.env['GENERATORS_DIR'] ?? join(tmpdir(), 'trunkline-generators');
const here = (...path: string[]): string => join(place, ...path);
const ours = (name: string): string => resolve(import.meta.dirname, '../../../node_modules/.bin', name);
const generator = here('openapi-generator-cli-7.17.0.jar');
const patienceMs = 300_000;
/** Those of `install.sh`: with others every package would be compiled again. */
const goFlags = `-mod=mod '-gcflags=all=-N -l'`;

let world: World;
let channel: Channel;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-clients-'));
  world = await World.open();
  channel = await world.connected('chatapp');
  const contract = await fetch(`${world.service.url}/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await contract.text());
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** A folder for one generated client. `run` executes a command there and returns its stdout; it rejects if the command fails. */
interface Workshop {
  at: string;
  contract: string;
  sending: Sending;
  run: (command: string, ...args: string[]) => Promise<string>;
}

async function workshop(): Promise<Workshop> {
  const at = await mkdtemp(join(folder, 'client-'));
  const run = async (command: string, ...args: string[]): Promise<string> => {
    const env = { ...process.env, GOFLAGS: goFlags, GOPROXY: 'off' };
    return (await promisify(execFile)(command, args, { cwd: at, env, maxBuffer: 2 ** 26 })).stdout;
  };
  const { url } = world.service;
  const sending = { url, key: channel.key, channelId: channel.id, recipient: newPerson('chatapp') };
  return { at, contract: join(folder, 'openapi.json'), sending, run };
}

function testWithGenerator(
  name: string,
  needed: readonly string[],
  make: (shop: Workshop) => Promise<string>,
) {
  const missing = needed.filter((path) => !existsSync(path) && findProgram(path) === null);
  const title = `${name}: the client compiles and sends`;
  if (missing.length > 0) return test.skip(`${title} (skipped, no ${missing.join(', ')})`, () => undefined);
  return test(title, async () => expect((await make(await workshop())).trim()).toBe('sent'), patienceMs);
}

async function typescript({ at, run }: Workshop, program: string): Promise<string> {
  await writeFile(join(at, 'main.ts'), program);
  await writeFile(join(at, 'package.json'), '{"type":"module"}');
  const checks = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
  const target = [
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  await run(ours('tsc'), ...checks, ...target, '--types', '', 'main.ts');
  return run(ours('tsx'), 'main.ts');
}

async function go({ at, run }: Workshop, program: string): Promise<string> {
  for (const file of ['go.mod', 'go.sum']) await copyFile(here('go', file), join(at, file));
  await writeFile(join(at, 'main.go'), program);
  return run('go', 'run', '.');
}

function openapiGenerator({ contract, run }: Workshop, language: string): Promise<string> {
  const quiet = [
    '--skip-validate-spec',
    '--global-property',
    'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
  ];
  // Options for one short run: optimized compilation would take longer than the run.
  const short = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const what = ['-i', contract, '-g', language, '-o', 'client'];
  return run('java', ...short, '-jar', generator, 'generate', ...what, ...quiet);
}

testWithGenerator('openapi-typescript', [here('node_modules/.bin/openapi-typescript')], async (shop) => {
  await symlink(here('node_modules'), join(shop.at, 'node_modules'));
  await shop.run(here('node_modules/.bin/openapi-typescript'), shop.contract, '-o', 'schema.ts');
  return typescript(shop, programs.openapiTypescript(shop.sending));
});

testWithGenerator('openapi-python-client', [here('python/bin/openapi-python-client')], async (shop) => {
  const where = ['--path', shop.contract, '--output-path', 'client', '--meta', 'none'];
  await shop.run(here('python/bin/openapi-python-client'), 'generate', ...where);
  await shop.run(here('python/bin/python'), '-m', 'compileall', '-q', 'client');
  await writeFile(join(shop.at, 'main.py'), programs.python(shop.sending));
  return shop.run(here('python/bin/python'), 'main.py');
});

const pythonModules = here('python/of-openapi-generator');
testWithGenerator('openapi-generator python', [generator, 'java', pythonModules], async (shop) => {
  await openapiGenerator(shop, 'python');
  await writeFile(join(shop.at, 'client', 'main.py'), programs.pythonGenerated(shop.sending));
  return shop.run(here('python/bin/python'), join('client', 'main.py'));
});

testWithGenerator('oapi-codegen', [here('bin/oapi-codegen'), here('go/go.sum'), 'go'], async (shop) => {
  // Otherwise the tool's own response types collide with schemas of the specification.
  const how = ['-generate', 'types,client,skip-prune', '-package', 'main', '-response-type-suffix', 'Answer'];
  await shop.run(here('bin/oapi-codegen'), ...how, '-o', 'client.go', shop.contract);
  expect(await readFile(join(shop.at, 'client.go'), 'utf8')).not.toContain('<nil>');
  return go(shop, programs.oapiCodegen(shop.sending));
});

testWithGenerator('openapi-generator typescript-fetch', [generator, 'java'], async (shop) => {
  await openapiGenerator(shop, 'typescript-fetch');
  return typescript(shop, programs.typescriptFetch(shop.sending));
});

testWithGenerator('openapi-generator go', [generator, 'java', here('go/go.sum'), 'go'], async (shop) => {
  await openapiGenerator(shop, 'go');
  for (const file of ['go.mod', 'go.sum']) await rm(join(shop.at, 'client', file), { force: true });
  return go(shop, programs.goGenerated(shop.sending));
});

const toPlain = 'the filter of the guide leaves what each generator can read: a type, or an object or null';
if (findProgram('jq') === null) test.skip(`${toPlain} (skipped, no jq)`, () => undefined);
else
  test(toPlain, async () => {
    const { at, contract, run } = await workshop();
    const guide = await readFile('docs/clients.md', 'utf8');
    const [, filter = ''] = /```jq\n([^]*?)```/.exec(guide) ?? [];
    const plain = join(at, 'plain.json');
    await writeFile(plain, await run('jq', filter, contract));
    const alternatives = async (file: string): Promise<Set<string>> => {
      const each = await run('jq', '-c', '.. | .anyOf? // empty | map(.type // "a reference")', file);
      return new Set(each.trim().split('\n'));
    };
    expect(await alternatives(contract)).toContain('["string","string","null"]');
    expect(await alternatives(plain)).toEqual(new Set(['["a reference","null"]', '["string","integer"]']));
  });
