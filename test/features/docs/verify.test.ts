/** [spec: Authentication 7] The functions on `/docs/verify`, imported and called as a receiver does. */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { areServicesRequired } from '../../support/required.ts';

const shown = join(import.meta.dirname, '../../../src/features/docs/verify');

interface Language {
  command: string;
  /** CI installs them. */
  isAlwaysHere: boolean;
  file: string;
  /** A program that imports the function, takes secret and header as arguments and the body from stdin, and exits with 0 if the signature is valid. */
  receiver: { name: string; text: string };
  run: (folder: string) => [command: string, args: string[]];
}

const languages: Record<string, Language> = {
  Node: {
    command: process.execPath,
    isAlwaysHere: true,
    file: 'verify.mjs',
    receiver: {
      name: 'receiver.mjs',
      text: `import { readFileSync } from 'node:fs';
import { isOurs, isOursAndRecent } from './verify.mjs';
const [secret, ...headers] = process.argv.slice(2);
const check = headers.length === 1 ? isOurs : isOursAndRecent;
process.exitCode = check(secret, readFileSync(0), ...headers) ? 0 : 1;`,
    },
    run: (folder) => [process.execPath, [join(folder, 'receiver.mjs')]],
  },
  Python: {
    command: 'python3',
    isAlwaysHere: true,
    file: 'verify.py',
    receiver: {
      name: 'receiver.py',
      text: `import sys
from verify import is_ours, is_ours_and_recent
secret, *headers = sys.argv[1:]
check = is_ours if len(headers) == 1 else is_ours_and_recent
sys.exit(0 if check(secret, sys.stdin.buffer.read(), *headers) else 1)`,
    },
    run: (folder) => ['python3', [join(folder, 'receiver.py')]],
  },
  Go: {
    command: 'go',
    isAlwaysHere: false,
    file: 'verify.go',
    receiver: {
      name: 'main.go',
      text: `package main

import (
	"io"
	"os"

	"example.com/yours/verify"
)

func main() {
	body, err := io.ReadAll(os.Stdin)
	given := os.Args[1:]
	if err == nil && len(given) == 2 && verify.IsOurs(given[0], body, given[1]) {
		return
	}
	if err == nil && len(given) == 4 && verify.IsOursAndRecent(given[0], body, given[1], given[2], given[3]) {
		return
	}
	os.Exit(1)
}`,
    },
    run: goProgram,
  },
  PHP: {
    command: process.env['PHP_BINARY'] ?? 'php',
    isAlwaysHere: true,
    file: 'verify.php',
    receiver: {
      name: 'receiver.php',
      text: `<?php
require __DIR__ . '/verify.php';
$check = $argc === 3 ? 'isOurs' : 'isOursAndRecent';
exit($check($argv[1], file_get_contents('php://stdin'), ...array_slice($argv, 2)) ? 0 : 1);`,
    },
    run: (folder) => [process.env['PHP_BINARY'] ?? 'php', [join(folder, 'receiver.php')]],
  },
};

/** Go compiles its standard library the first time, which takes minutes on a busy machine. */
function goProgram(folder: string): [command: string, args: string[]] {
  mkdirSync(join(folder, 'verify'));
  copyFileSync(join(folder, 'verify.go'), join(folder, 'verify/verify.go'));
  rmSync(join(folder, 'verify.go'));
  writeFileSync(join(folder, 'go.mod'), 'module example.com/yours\n');
  const binary = join(folder, 'receiver');
  const { status, stderr } = spawnSync('go', ['build', '-o', binary, '.'], { cwd: folder });
  expect([status, String(stderr)]).toEqual([0, '']);
  return [binary, []];
}

const secret = 'whsec_of-this-test';
const body = Buffer.from('{"event":"message.received","data":{"text":"Grüße 👋"}}');
const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Runs the receiver; true: it took the delivery. */
type Accepts = (sent: Buffer, secret: string, ...headers: string[]) => boolean;

function build(each: Language, folder: string): Accepts {
  copyFileSync(join(shown, each.file), join(folder, each.file));
  writeFileSync(join(folder, each.receiver.name), each.receiver.text);
  const [run, args] = each.run(folder);
  return (sent, ...given) => spawnSync(run, [...args, ...given], { input: sent }).status === 0;
}

function checksBodies(accepts: Accepts): void {
  expect(accepts(body, secret, signature)).toBe(true);
  for (const [sent, header] of [
    [Buffer.concat([body, Buffer.from(' ')]), signature],
    [body, `${signature.slice(0, -1)}g`],
    [body, ''],
    [body, 'sha256=Grüße'],
  ] as const)
    expect([header, accepts(sent, secret, header)]).toEqual([header, false]);
}

/** [operator-interface §4, key of `webhook-signature`] */
const keys: readonly (readonly [secret: string, key: Buffer])[] = [
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')],
  ['whsec_+/8=', Buffer.from('+/8=', 'base64')],
  ...['whsec_of-this-test', 'whsec_abc', 'whsec_', 'abcd', 'Grüße 👋'].map(
    (text) => [text, Buffer.from(text)] as const,
  ),
];

function checksParts(accepts: Accepts): void {
  const seconds = Math.floor(Date.now() / 1_000);
  const signed = (key: Buffer, at: number): string =>
    `v1,${createHmac('sha256', key).update(`id-1.${at}.`).update(body).digest('base64')}`;
  for (const [text, key] of keys)
    expect([text, accepts(body, text, 'id-1', String(seconds), signed(key, seconds))]).toEqual([text, true]);
  const key = Buffer.from(secret);
  const [right, wrong] = [signed(key, seconds), signed(Buffer.from('before'), seconds)];
  expect(accepts(body, secret, 'id-1', String(seconds), `${wrong} ${right}`)).toBe(true);
  for (const [id, at, signatures] of [
    ['id-2', seconds, right],
    ['id-1', seconds + 1, right],
    ['id-1', seconds, wrong],
    ['id-1', seconds, ''],
    ['id-1', seconds - 400, signed(key, seconds - 400)],
    ['id-1', seconds + 400, signed(key, seconds + 400)],
    ['id-1', '', right],
    ['id-1', 'soon', right],
  ] as const)
    expect([id, at, accepts(body, secret, id, String(at), signatures)]).toEqual([id, at, false]);
}

describe.each(Object.entries(languages))('the functions in %s', (language, each) => {
  const isHere = spawnSync(each.command, ['--help'], { stdio: 'ignore' }).error === undefined;
  const isRun = isHere || (areServicesRequired && each.isAlwaysHere);
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  (isRun ? test : test.skip)(
    `accept what the service signed, recently, and nothing else${isRun ? '' : ` (no ${language} here)`}`,
    () => {
      const accepts = build(each, folder);
      checksBodies(accepts);
      checksParts(accepts);
    },
    300_000,
  );
});
