/** The bench's own PostgreSQL, with its defaults: what is committed is on disk. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/ports.ts';
import type { Program } from '../world/programs.ts';
import type { Testbed } from '../world/testbed.ts';
import { CannotRun } from '../scenarios/bench.ts';
import { postgresFolder } from './checkout.ts';

export interface Postgres {
  program: Program;
  url: string;
  /** Runs statements; returns their rows as text, a line each. */
  query: (sql: string) => string;
}

const user = 'courier_test';
const quietly = 'set client_min_messages = warning;\n';

export async function startPostgres({ programs, folder }: Testbed): Promise<Postgres> {
  const bin = postgresFolder();
  const port = String(await freePort());
  const dataDir = join(folder, `postgres-${port}`);
  mkdirSync(dataDir, { mode: 0o700 });
  const owner = ownerOf(dataDir);
  if (owner !== undefined) chmodSync(folder, 0o711); // it was for root alone
  const initial = ['-D', dataDir, '-A', 'trust', '-U', user, '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), initial, { stdio: 'pipe', ...owner });
  const program = await programs.start({
    name: 'postgres',
    command: join(bin, 'postgres'),
    args: ['-D', dataDir, '-p', port, '-h', '127.0.0.1', '-k', ''],
    env: {},
    ready: { says: /ready to accept connections/ },
    owner,
  });
  const url = `postgres://${user}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const client = [url, '-qAt', '-v', 'ON_ERROR_STOP=1'];
  return {
    program,
    url,
    query: (sql) =>
      execFileSync(join(bin, 'psql'), client, { input: quietly + sql, encoding: 'utf8' }).trim(),
  };
}

/** PostgreSQL refuses to run as root: it then runs as its own user, who gets the folder. */
function ownerOf(dataDir: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  chownSync(dataDir, owner.uid, owner.gid);
  return owner;
}

function idOf(flag: '-u' | '-g'): number {
  try {
    return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    throw new CannotRun('root may not run PostgreSQL, and there is no user postgres here');
  }
}
