/** Headers of an endpoint as clients and people give them: checked, and completed with the values that stay as they are stored. */
import {
  headerProblem,
  headersProblem,
  readHeaders,
  writeHeaders,
} from '../../rules/webhooks/own-headers.ts';
import type { SealedHeaders } from '../../rules/webhooks/own-headers.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import { Fault, valueError } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './entity.ts';

type Sealing = Pick<World, 'sealer'>;

/** By name. */
export type GivenHeaders = Readonly<Record<string, string>>;

/** A null value stays as it is stored. */
export type PatchedHeaders = Readonly<Record<string, string | null>>;

/** In place of a value that is not known before the endpoint is read. */
const someValue = '-';

export function headerErrors(headers: PatchedHeaders): FieldError[] {
  const given = Object.entries(headers).map(([name, value]) => [name, value ?? someValue] as const);
  const together = headersProblem(given);
  if (together !== null) return [{ loc: ['body', 'headers'], ...valueError(together) }];
  return given.flatMap(([name, value]) => errorsOf(name, headerProblem(name, value)));
}

const errorsOf = (name: string, problem: string | null): FieldError[] =>
  problem === null ? [] : [{ loc: ['body', 'headers', name], ...valueError(problem) }];

export function sealHeaders(
  { sealer }: Sealing,
  ownerId: string,
  headers: GivenHeaders | null | undefined,
): SealedHeaders | null {
  const given = Object.entries(headers ?? {});
  if (given.length === 0) return null;
  const sealed = sealer.sealText(writeHeaders(given), sealContext.endpointHeaders(ownerId));
  return { names: given.map(([name]) => name), sealed };
}

/** With the stored values. Throws 422 `validation` for a name without one, or if all together are too long. */
export function wholeHeaders(
  sealing: Sealing,
  before: Endpoint,
  headers: PatchedHeaders | null,
): GivenHeaders {
  const stored = keepsSome(headers) ? storedHeaders(sealing, before) : new Map<string, string>();
  const whole = Object.entries(headers ?? {}).map(
    ([name, value]) => [name, value ?? stored.get(name)] as const,
  );
  const missing = whole.flatMap(([name, value]) =>
    value === undefined ? errorsOf(name, 'no value of this header is stored: give it') : [],
  );
  const known = Object.fromEntries(
    whole.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const errors = missing.length > 0 ? missing : headerErrors(known);
  if (errors.length > 0) throw new Fault('validation', { errors });
  return known;
}

/** Whether values stay as they are stored. */
export function keepsSome(headers: PatchedHeaders | null): boolean {
  return headers !== null && Object.values(headers).includes(null);
}

/** Without those that can't be opened because their key is gone. */
function storedHeaders({ sealer }: Sealing, { id, channelId, headers }: Endpoint): Map<string, string> {
  if (headers === null) return new Map();
  try {
    const context = sealContext.endpointHeaders(ownerOf(channelId, id));
    const flat = readHeaders(sealer.openText(headers.sealed, context));
    return new Map(headers.names.map((name, at) => [name, flat[2 * at + 1] ?? '']));
  } catch {
    return new Map();
  }
}
