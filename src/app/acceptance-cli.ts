/** `npm run acceptance`: asks a person with a phone, and compares the platform with what `src/upstream` believes. */
import { parseArgs } from 'node:util';
import { readEnvironment } from '../../config/env-file.ts';
import { asError } from '../kernel/faults.ts';
import { channelTypes } from '../rules/vocabulary.ts';
import { accept } from './acceptance/index.ts';
import { atTerminal, byProgram, fromFile, type Asked } from './acceptance/person.ts';
import { tableOf } from './acceptance/report.ts';
import { resolveServer } from './admin/server-address.ts';
import { startedAs } from './started-as.ts';

const usage = `Usage: ${startedAs('acceptance')} [--channel chatapp|photoapp|pagechat] [--report ./acceptance] [--answers FILE] [--answer-with PROGRAM] [--patience SECONDS]

  --answers      a JSON file of answers, by the name of the question; what it lacks is asked here
  --answer-with  a program that is called with the name of each question and its facts as JSON, and prints the answer
  --patience     how long an event may take; 120 unless given
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      channel: { type: 'string', default: channelTypes[0] },
      report: { type: 'string', default: './acceptance' },
      answers: { type: 'string' },
      'answer-with': { type: 'string' },
      patience: { type: 'string', default: '120' },
      help: { type: 'boolean', default: false },
    },
  });
  const channelType = channelTypes.find((type) => type === values.channel);
  const patienceMs = Number(values.patience) * 1_000;
  if (values.help || channelType === undefined || !(patienceMs > 0)) return said(usage, values.help ? 0 : 2);
  const { PORT = '' } = readEnvironment().env;
  const url = `http://localhost:${PORT.trim() || '3000'}`;
  await requireService(url);
  const person = askedBy(values.answers, values['answer-with']);
  try {
    const options = { url, admin: resolveServer({}), channelType, person, folder: values.report, patienceMs };
    const { findings, email, channelId } = await accept(options);
    const differs = findings.some(({ verdict }) => verdict === 'differs');
    const ended = `The account ${email} is suspended, its channel ${channelId ?? ''} inactive; its number or page is free.`;
    return said(`${tableOf(findings)}\n${ended}\nThe report is in ${values.report}.\n`, differs ? 1 : 0);
  } finally {
    person.close();
  }
}

function askedBy(answers: string | undefined, program: string | undefined): Asked {
  if (program !== undefined) return byProgram(program);
  const terminal = atTerminal(process.stdin, process.stdout);
  return answers === undefined ? terminal : fromFile(answers, terminal);
}

/** Upstream must reach the service at BASE_URL, so it runs where it will run, and not for the time of a run here. */
async function requireService(url: string): Promise<void> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  if (answer?.ok !== true)
    throw new Error(
      `no service is ready at ${url}: start it with "npm start" (installed: "trunkline start")`,
    );
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
