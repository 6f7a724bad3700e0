/** `npm run acceptance`: asks a person with a phone, and compares the platform with what the adapter believes. */
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { parseArgs, promisify } from 'node:util';
import { asError } from '../kernel/faults.ts';
import { channelTypes } from '../domain/vocabulary.ts';
import { accept } from './acceptance/index.ts';
import { tableOf } from './acceptance/report.ts';
import type { Person } from './acceptance/run.ts';
import { resolveServer } from './admin/server-address.ts';
import { startedAs } from './started-as.ts';

const usage = `Usage: ${startedAs('acceptance')} [--channel chatapp|photoapp|pagechat] [--report ./acceptance] [--answers COMMAND] [--patience SECONDS]

  --answers  a program that is called with the name of each question and its facts as JSON, and prints the answer;
             without it the questions are asked here
`;
const patienceS = '120';

/** Asks at the terminal. */
const terminal: Person = {
  async ask({ text }) {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await lines.question(`${text}\n> `);
    lines.close();
    return answer.trim();
  },
};

function scripted(command: string): Person {
  const run = promisify(execFile);
  return {
    ask: async ({ name, facts }) => (await run(command, [name, JSON.stringify(facts ?? {})])).stdout.trim(),
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      channel: { type: 'string', default: channelTypes[0] },
      report: { type: 'string', default: './acceptance' },
      answers: { type: 'string' },
      patience: { type: 'string', default: patienceS },
      help: { type: 'boolean', default: false },
    },
  });
  const channelType = channelTypes.find((type) => type === values.channel);
  if (values.help || channelType === undefined) return said(usage, values.help ? 0 : 2);
  const { url, token: adminToken } = resolveServer({});
  const person = values.answers === undefined ? terminal : scripted(values.answers);
  const patienceMs = Number(values.patience) * 1_000;
  const run = await accept({ url, adminToken, channelType, person, folder: values.report, patienceMs });
  const differs = run.findings.some(({ verdict }) => verdict === 'differs');
  return said(`${tableOf(run.findings)}\nThe report is in ${values.report}.\n`, differs ? 1 : 0);
}

function said(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${asError(error).message}\n`);
    process.exitCode = 1;
  },
);
