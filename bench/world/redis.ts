import { findProgram } from '../../test/support/executables.ts';
import { freePort } from '../../test/support/ports.ts';
import type { Program, Programs } from './programs.ts';

export const noRedis = 'there is no redis-server on this machine';
export const hasRedis = (): boolean => findProgram('redis-server') !== null;

/** The bench's own Redis, in memory only, which favours the baseline that needs it. Fails if none is installed. */
export async function startRedis(programs: Programs): Promise<Program> {
  if (!hasRedis()) throw new Error(noRedis);
  const port = String(await freePort());
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const ready = { says: /Ready to accept/ };
  const redis = await programs.start({ name: 'redis', command: 'redis-server', args, env: {}, ready });
  return { ...redis, url: `redis://127.0.0.1:${port}` };
}
