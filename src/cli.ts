#!/usr/bin/env node
/** `trunkline COMMAND`: every command of the project, compiled, for an install without the sources. [operator-interface §1] */
import { existsSync } from 'node:fs';

interface Command {
  /** Path relative to this file, without extension. */
  file: string;
  does: string;
}

const commands: Readonly<Record<string, Command>> = {
  start: { file: './main', does: 'the service; settings from the environment or .env' },
  demo: { file: './app/demo/main', does: 'service, simulator and a receiver on this machine' },
  admin: { file: './app/admin-cli', does: 'what an operator asks of the service' },
  backup: { file: './app/backup-cli', does: 'a copy of DATA_DIR while the service runs' },
  listen: { file: './app/listen-cli', does: 'live events of a key, forwarded to a local URL' },
  simulator: { file: './simulator/main', does: 'the stand-in for upstream alone' },
};

const usage = [
  'Usage: trunkline COMMAND [arguments]',
  '',
  ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`),
].join('\n');

/** `.js` in a build, `.ts` from the sources. */
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

async function run(name: string | undefined): Promise<void> {
  if (name === undefined || name === 'help' || name === '--help') return say(process.stdout, 0, usage);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return say(process.stderr, 2, `trunkline: no command ${name}\n\n${usage}`);
  const at = new URL(command.file + ending, import.meta.url);
  if (!existsSync(at)) return say(process.stderr, 1, `trunkline: ${name} is not part of this build`);
  process.argv.splice(2, 1); // each command reads its own arguments from there
  await import(at.href);
}

function say(to: NodeJS.WriteStream, exitCode: number, text: string): void {
  to.write(`${text}\n`);
  process.exitCode = exitCode;
}

await run(process.argv[2]);
