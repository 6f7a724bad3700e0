import { spawnSync } from 'node:child_process';
import { freePort } from '../../test/support/ports.ts';
import type { Program, Programs } from './programs.ts';

/** A Redis of the bench's own, in memory only: the kindest to the baseline that needs it. null: not installed. */
export async function startRedis(programs: Programs): Promise<Program | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const port = String(await freePort());
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const ready = { says: /Ready to accept/ };
  const redis = await programs.start({ name: 'redis', command: 'redis-server', args, env: {}, ready });
  return { ...redis, url: `redis://127.0.0.1:${port}` };
}
