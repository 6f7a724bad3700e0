import { createHash } from 'node:crypto';
import { SparseMap } from '../../src/kernel/sparse-map.ts';

/** Wall times are told apart from other numbers by their size. */
const firstTime = 1_000_000_000_000;
/** What nothing is decided by. */
const passedOver = new Set([
  'calls',
  'attemptLog',
  'rules',
  'settings',
  'nodeFull',
  'names',
  'channelId',
  'content',
  'payload',
]);

/** A text that is the same for two states from which the same can follow: times count from `now`. */
export function keyOf(now: number, state: object): string {
  const text = JSON.stringify(plainOf(state, now));
  return createHash('sha1').update(text).digest('base64');
}

function plainOf(value: unknown, now: number): unknown {
  if (typeof value === 'number') {
    if (value === Infinity) return 'never';
    return value >= firstTime ? `t${value - now}` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => plainOf(each, now));
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Map || value instanceof Set || value instanceof SparseMap)
    return [...value].map((each) => plainOf(each, now));
  return Object.entries(gettersOf(value))
    .filter(([name, each]) => !passedOver.has(name) && each !== undefined)
    .map(([name, each]) => [name, plainOf(each, now)]);
}

/** The slices of a channel are private; its getters that end in `AtWork` show them and make none. */
function gettersOf(value: object): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...value };
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto === Object.prototype || typeof proto !== 'object' || proto === null) return shown;
  for (const name of Object.getOwnPropertyNames(proto))
    if (name.endsWith('AtWork')) shown[name] = Reflect.get(value, name);
  return shown;
}
