import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** The cluster's data in Redis: names of keys, and scripts. Everything there is a hint that may be lost without harm. [architecture §1] */
export const keys = {
  /** Hash: incarnation → member. */
  members: 'trunkline:members',
  /** Hash: incarnation → when its lease was first seen ended, in ms of Redis's clock. */
  died: 'trunkline:died',
  leasePrefix: 'trunkline:lease:',
  /** String with an expiry: the lease of an incarnation. */
  lease: (incarnation: string) => `trunkline:lease:${incarnation}`,
} as const;

/** Runs a script of `scripts/` with its keys, then its arguments. Rejects when Redis does not answer or answers with an error. */
export type Script = (...args: (string | number)[]) => Promise<unknown>;

/** Text of `scripts/<name>.lua`. */
function readLua(name: string): string {
  return readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');
}

const prelude = readLua('typed');

/** Defines the script as a command of this connection; ioredis sends its text once per connection, afterwards its digest. */
export function script(redis: Redis, name: string, numberOfKeys: number): Script {
  const command = `trunkline_${name}`;
  redis.defineCommand(command, { numberOfKeys, lua: prelude + readLua(name) });
  return async (...args) => {
    const run: unknown = Reflect.get(redis, command);
    if (typeof run !== 'function') throw new Error(`script ${name} is not defined`);
    return run.apply(redis, args) as unknown;
  };
}
