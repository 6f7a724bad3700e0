#!/usr/bin/env node
/** `trunkline COMMAND`: every command of the project, compiled, for an install without the sources. [operator-interface §1] */
import { existsSync } from 'node:fs';
import { oldNodeProblem } from './kernel/node-version.ts';
import { readBuild } from './kernel/version.ts';

interface Command {
  /** Path relative to this file, without extension. */
  file: string;
  does: string;
  /** The command itself is an argument of the file. */
  isWord?: true;
}

const commands: Readonly<Record<string, Command>> = {
  start: { file: './main', does: 'starts the service; settings come from the environment and .env' },
  demo: {
    file: './app/demo/main',
    does: 'starts the service, the simulator and a webhook receiver on this machine',
  },
  admin: { file: './app/admin-cli', does: 'runs a command of an operator: trunkline admin help' },
  'check-upstream': {
    file: './app/admin-cli',
    isWord: true,
    does: 'says what is wrong with the app registered upstream, and with channels, and what to do',
  },
  acceptance: {
    file: './app/acceptance-cli',
    does: 'tries the real platform with a person and a phone, and compares it with what the service believes',
  },
  backup: { file: './app/backup-cli', does: 'copies DATA_DIR while the service runs' },
  listen: { file: './app/listen-cli', does: 'forwards the live events of an account to a local URL' },
  simulator: { file: './simulator/main', does: 'starts only the simulator of the upstream platform' },
};

const usage = [
  'Usage: trunkline COMMAND [arguments]',
  '       trunkline --version',
  '',
  ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(14)} ${does}`),
].join('\n');

/** `.js` in a build, `.ts` from the sources. */
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

async function run(name: string | undefined): Promise<void> {
  const problem = oldNodeProblem();
  if (problem !== null) return say(process.stderr, 1, `trunkline: ${problem}`);
  if (name === undefined || name === 'help' || name === '--help') return say(process.stdout, 0, usage);
  if (name === '--version') return say(process.stdout, 0, versionLine());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return say(process.stderr, 2, `trunkline: unknown command ${name}\n\n${usage}`);
  const at = new URL(command.file + ending, import.meta.url);
  if (!existsSync(at)) return say(process.stderr, 1, `trunkline: ${name} is not part of this build`);
  if (command.isWord !== true) process.argv.splice(2, 1); // each command reads its own arguments from there
  await import(at.href);
}

function versionLine(): string {
  const { version, commit } = readBuild();
  return `trunkline ${version} (commit ${commit})`;
}

function say(to: NodeJS.WriteStream, exitCode: number, text: string): void {
  to.write(`${text}\n`);
  process.exitCode = exitCode;
}

await run(process.argv[2]);
