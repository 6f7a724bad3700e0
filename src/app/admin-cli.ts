/**
 * `npm run admin -- …`: a thin client of the admin API. Writes answers to stdout, as tables or unchanged with `--json`, and everything else
 * to stderr.
 */
import { asError } from '../kernel/faults.ts';
import { asList, asRecord, asText } from '../kernel/json.ts';
import { visibleControls } from '../kernel/visible-controls.ts';
import { readCommandLine } from './admin/command-line.ts';
import type { AdminCall } from './admin/commands.ts';
import { resolveServer } from './admin/server-address.ts';
import { writeTables } from './admin/tables.ts';
import { startedAs } from './started-as.ts';

const misused = 2;

async function main(): Promise<number> {
  const asked = readCommandLine(process.argv.slice(2), startedAs('admin'));
  if (asked.what === 'help') return said(asked.text);
  if (asked.what === 'misuse') return refused(asked.text, misused);
  const { url, token } = resolveServer(asked.place);
  const answer = await ask(url, token, asked.call);
  const text = await answer.text();
  if (!answer.ok) return refused(describeProblem(answer.status, text), 1);
  const judged = asked.judge?.(JSON.parse(text));
  said(asked.isForPrograms ? text : (judged?.text ?? writeTables(JSON.parse(text))));
  return judged?.hasFailed === true ? 1 : 0;
}

async function ask(url: string, token: string, { method, path, body }: AdminCall): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const asking = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  try {
    return await fetch(`${url}/admin/v1${path}`, asking);
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : '';
    const why = cause === '' ? '' : ` (${cause})`;
    throw new Error(
      `no answer from ${url}${why}: does the service run there? If not, give its address with --url`,
      {
        cause: thrown,
      },
    );
  }
}

/** The service's own message, with one line for each invalid field. [spec: Errors] */
function describeProblem(status: number, text: string): string {
  const detail = readDetail(text);
  const fields = asList(detail).map((each) => {
    const { loc, msg } = asRecord(each) ?? {};
    return `  ${asList(loc).slice(1).join('.')}: ${asText(msg) ?? ''}`;
  });
  const words =
    fields.length > 0 ? ['the service refused these values', ...fields] : [writeSentence(detail, text)];
  if (status === 401)
    words.push('The admin token is wrong: check ADMIN_TOKEN, --token or the DATA_DIR of the service');
  if (status === 404 && asText(detail) === 'Not found')
    words.push(
      'This listener does not serve the admin API. If ADMIN_PORT is set, give the address of the listener for operators with --url',
    );
  return visibleControls(`${status}: ${words.join('\n')}`);
}

function readDetail(text: string): unknown {
  try {
    return asRecord(JSON.parse(text))?.['detail'];
  } catch {
    return null;
  }
}

function writeSentence(detail: unknown, text: string): string {
  return asText(detail) ?? text.slice(0, 300);
}

function said(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refused(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

process.exitCode = await main().catch((error: unknown) => refused(asError(error).message, 1));
