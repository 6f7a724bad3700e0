/** [spec: Authentication 7] The functions on `/docs/verify`, imported and called as a receiver does. */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { areServicesRequired } from '../support/required.ts';

const shown = join(import.meta.dirname, '../../src/portal/docs/verify');

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
import { isOurs } from './verify.mjs';
process.exitCode = isOurs(process.argv[2], readFileSync(0), process.argv[3]) ? 0 : 1;`,
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
from verify import is_ours
sys.exit(0 if is_ours(sys.argv[1], sys.stdin.buffer.read(), sys.argv[2]) else 1)`,
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
	if err != nil || !verify.IsOurs(os.Args[1], body, os.Args[2]) {
		os.Exit(1)
	}
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
exit(isOurs($argv[1], file_get_contents('php://stdin'), $argv[2]) ? 0 : 1);`,
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

describe.each(Object.entries(languages))('the function in %s', (language, each) => {
  const isHere = spawnSync(each.command, ['--help'], { stdio: 'ignore' }).error === undefined;
  const isRun = isHere || (areServicesRequired && each.isAlwaysHere);
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const secret = 'whsec_of-this-test';
  const body = Buffer.from('{"event":"message.received","data":{"text":"Grüße 👋"}}');
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  (isRun ? test : test.skip)(
    `accepts what the service signed and nothing else${isRun ? '' : ` (no ${language} here)`}`,
    () => {
      copyFileSync(join(shown, each.file), join(folder, each.file));
      writeFileSync(join(folder, each.receiver.name), each.receiver.text);
      const [run, args] = each.run(folder);
      const statusOf = (sent: Buffer, header: string): number | null =>
        spawnSync(run, [...args, secret, header], { input: sent }).status;
      expect(statusOf(body, signature)).toBe(0);
      for (const [sent, header] of [
        [Buffer.concat([body, Buffer.from(' ')]), signature],
        [body, `${signature.slice(0, -1)}g`],
        [body, ''],
        [body, 'sha256=Grüße'],
      ] as const)
        expect([header, statusOf(sent, header)]).toEqual([header, 1]);
    },
    300_000,
  );
});
