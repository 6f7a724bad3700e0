import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GatheringLines } from '../../src/kernel/gathering-lines.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { turnsInProcessOf } from '../support/loop-turns.ts';
import { openPipe, readUpTo } from '../support/pipe.ts';
import { until } from '../support/until.ts';

/** A process with a log, and the script that it runs. */
const logging = ['--import', 'tsx', '--input-type=module', '--eval'];
const makesLog = `const { makeLog } = await import('${pathToFileURL(resolve('src/kernel/log.ts')).href}');
  const log = makeLog('info');`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileToWrite(): { fd: number; lines: () => string[] } {
  const path = join(folder, 'log');
  return { fd: openSync(path, 'a'), lines: () => readFileSync(path, 'utf8').split('\n').filter(Boolean) };
}

describe('log lines', () => {
  test('all arrive, complete and in order', async () => {
    const { fd, lines } = fileToWrite();
    const log = makeLog('info', new GatheringLines(fd));
    for (let n = 0; n < 2_000; n += 1) log.info({ n, text: 'grüße' }, 'counted');

    await until('every line', () => lines().length === 2_000);
    expect(lines().map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 2_000 }, (_, n) => n));
    expect(JSON.parse(lines()[7] ?? '')).toEqual({
      level: 'info',
      time: expect.any(String),
      n: 7,
      text: 'grüße',
      msg: 'counted',
    });
  });

  test('a line that is written during an unfinished write arrives too, and then nothing is written any more', async () => {
    const [turns] = await turnsInProcessOf(join(import.meta.dirname, 'log-at-rest.ts'));
    // A flush every 25 ms would be twenty.
    expect(turns).toBeLessThan(12);
  });

  test('buffered lines are written when the process ends', () => {
    const said = execFileSync(process.execPath, [
      ...logging,
      `${makesLog} log.info({}, 'first'); log.info({}, 'last words');`,
    ]);
    const lines = String(said).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['first', 'last words']);
  });

  test('a reader that has closed costs the log, and nothing else', async () => {
    const script = `${makesLog}
      process.stdin.once('data', () => log.error({}, 'nobody hears this'));
      process.stdin.once('end', () => { log.info({}, 'nor this'); process.exitCode = 7; });`;
    const child = spawn(process.execPath, [...logging, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.destroy();
    child.stdin.end('go on\n');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test('a reader that closed while nothing was logged keeps no process alive', async () => {
    const script = `${makesLog} process.stdin.resume().once('end', () => { log.info({}, 'nobody hears this'); process.exit(7); });`;
    const child = spawn(process.execPath, [...logging, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.destroy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test('a reader that has stopped keeps no process alive', async () => {
    const script = `${makesLog}
      const text = 'x'.repeat(1_000);
      for (let n = 0; n < 3_000; n += 1) log.info({ text }, 'filled');
      process.stdin.resume().once('end', () => { log.info({}, 'nobody hears this'); process.exit(7); });
      setTimeout(() => process.stderr.write('stalled'), 300);`;
    const child = spawn(process.execPath, [...logging, script], { stdio: ['pipe', 'pipe', 'pipe'] });
    await once(child.stderr, 'data');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  (existsSync('/dev/full') ? test : test.skip)('a full disk costs the log, and nothing else', async () => {
    const script = `${makesLog}
      log.error({}, 'not written');
      process.stdin.resume().once('end', () => { log.error({}, 'nor this'); process.exit(7); });`;
    const stdio = ['pipe', openSync('/dev/full', 'a'), 'inherit'] as const;
    const child = spawn(process.execPath, [...logging, script], { stdio: [...stdio] });
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([7, null]);
    closeSync(stdio[1]);
  });

  test('lines that nobody took are written when somebody does', async () => {
    const { writes, reads, again } = openPipe(folder);
    const log = makeLog('info', new GatheringLines(writes));
    closeSync(reads);
    log.error({}, 'early');
    log.error({}, 'later');
    const heard = readUpTo('last"}\n', again());
    log.error({}, 'last');
    const lines = (await heard).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['early', 'later', 'last']);
  });

  test('a reader that does not read loses lines beyond the bound, and gets their number', async () => {
    const { writes, reads } = openPipe(folder);
    const to = new GatheringLines(writes);
    const line = `${'x'.repeat(9_999)}\n`;
    for (let n = 0; n < 1_000; n += 1) to.write(line);

    const heard = await readUpTo('log.dropped"}\n', reads);
    const told: unknown = JSON.parse(heard.split('\n').find((each) => each.includes('log.dropped')) ?? '');
    const whole = heard.split('\n').filter((each) => each.length === 9_999).length;
    expect(told).toMatchObject({ level: 'warn', lines: 1_000 - whole });
  });
});
