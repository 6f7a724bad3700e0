/** Programs that check files of `config/`. The service does not need them: without one, its tests are skipped by name. */
import { describe, test } from '@jest/globals';
import { findProgram } from './executables.ts';

/** By program: Debian's package. */
const packages = { haproxy: 'haproxy', nginx: 'nginx', promtool: 'prometheus', kubectl: 'kubernetes-client' };
type Program = keyof typeof packages;

/** The program's path, by `HAPROXY_BINARY` etc. or the PATH with `sbin`, which many PATHs lack; null if it is not on this machine. */
function pathOf(program: Program): string | null {
  const named = process.env[`${program.toUpperCase()}_BINARY`];
  if (named !== undefined && named !== '') return named;
  return findProgram(program, undefined, ['/usr/sbin']);
}

const without = (name: string, program: Program): string =>
  `${name} (skipped, no ${program}: Debian's package ${packages[program]} has it)`;

export function describeWithProgram(program: Program, name: string, body: (path: string) => void): void {
  const path = pathOf(program);
  if (path === null) describe.skip(without(name, program), () => body(program));
  else describe(name, () => body(path));
}

export function testWithProgram(program: Program, name: string, body: (path: string) => unknown): void {
  const path = pathOf(program);
  if (path === null) test.skip(without(name, program), () => undefined);
  else test(name, async () => void (await body(path)));
}
