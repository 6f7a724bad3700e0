/** Parses a command line into a call of the admin API, or into a sentence that says what is wrong with it. */
import { parseArgs } from 'node:util';
import { asError } from '../../kernel/faults.ts';
import { commands } from './commands.ts';
import type { AdminCall, Command } from './commands.ts';

export interface ServerAddress {
  url?: string;
  token?: string;
}

type CommandLine =
  | { what: 'help'; text: string }
  | { what: 'misuse'; text: string }
  | { what: 'call'; call: AdminCall; place: ServerAddress; isForPrograms: boolean; judge: Command['judge'] };

const everywhere = { url: 'http://localhost:3000', token: 'ADMIN_TOKEN' };
const helpers = new Set(['help', '--help', '-h']);

/** `words`: the arguments of the program; `program`: its name in help texts. */
export function readCommandLine(words: readonly string[], program: string): CommandLine {
  const [name = 'help', ...rest] = words;
  if (helpers.has(name)) return helpAbout(rest[0], program);
  const command = commandNamed(name);
  if (command === null) return { what: 'misuse', text: unknownCommand(name, program) };
  const help = writeHelp(`${program} ${name}`, command);
  if (rest.some((word) => helpers.has(word))) return { what: 'help', text: help };
  const misuse = (problem: string): CommandLine => ({
    what: 'misuse',
    text: `${name}: ${problem}\n\n${help}`,
  });
  try {
    return parseCall(command, rest);
  } catch (thrown) {
    return misuse(asError(thrown).message);
  }
}

/** Throws an Error whose message says what is wrong. */
function parseCall(
  { word, needs = {}, takes = {}, call, judge }: Command,
  rest: readonly string[],
): CommandLine {
  const known = [...Object.keys(needs), ...Object.keys(takes), ...Object.keys(everywhere)];
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: {
      ...Object.fromEntries(known.map((flag) => [flag, { type: 'string' as const }])),
      json: { type: 'boolean' as const },
    },
    allowPositionals: true,
  });
  const flags = Object.fromEntries(
    Object.entries(values).flatMap(([flag, value]) => (typeof value === 'string' ? [[flag, value]] : [])),
  );
  const given = takeWord(positionals, word);
  for (const [flag, value] of Object.entries(needs))
    if (flags[flag] === undefined) throw new Error(`--${flag} ${value} is required`);
  const { url, token, ...own } = flags;
  return {
    what: 'call',
    call: call(encodeURIComponent(given), own),
    place: { url, token },
    isForPrograms: values['json'] === true,
    judge,
  };
}

function takeWord([given, ...surplus]: readonly string[], wanted: string | undefined): string {
  const [extra] = wanted === undefined ? [given, ...surplus] : surplus;
  if (extra !== undefined) throw new Error(`unexpected argument '${extra}'`);
  if (wanted !== undefined && given === undefined) throw new Error(`${wanted} is required`);
  return given ?? '';
}

function commandNamed(name: string): Command | null {
  return Object.hasOwn(commands, name) ? (commands[name] ?? null) : null;
}

function helpAbout(name: string | undefined, program: string): CommandLine {
  if (name === undefined || name.startsWith('-')) return { what: 'help', text: overview(program) };
  const command = commandNamed(name);
  return command === null
    ? { what: 'misuse', text: unknownCommand(name, program) }
    : { what: 'help', text: writeHelp(`${program} ${name}`, command) };
}

function unknownCommand(name: string, program: string): string {
  const near = Object.keys(commands).filter((known) => known.includes(name) || name.includes(known));
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return `There is no command '${name}'.${hint}\n\n${overview(program)}`;
}

function overview(program: string): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  return [
    `${program} COMMAND …`,
    '',
    ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}`),
    '',
    'help COMMAND shows the arguments of a command. The address and the admin token come from the settings of this folder',
    '(environment and .env), or from --url and --token; a token in the environment, ADMIN_TOKEN, does not appear in process',
    'lists. Answers are printed as tables; --json prints the JSON of the admin API.',
  ].join('\n');
}

function writeHelp(command: string, { does, word, needs = {}, takes = {} }: Command): string {
  const shown = (flags: Readonly<Record<string, string>>): string[] =>
    Object.entries(flags).map(([flag, value]) => `--${flag} ${value}`);
  const optional = [...shown(takes), ...shown(everywhere), '--json'].map((flag) => `[${flag}]`);
  const line = [command, word, ...shown(needs), ...optional];
  return `${line.filter((part) => part !== undefined).join(' ')}\n\n  ${does}`;
}
