/** Corruptions of a file: numbers out of bounds, and pieces that are missing, moved, or repeated ten thousand times. */
import type { Random } from '../actors/support/random.ts';

/** The service reads this much of a voice message. */
const mostBytes = 262_144;
const numbers = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7f_ff_ff_ff, 0xff_ff_ff_ff, 0x10_00_00, 250_000];

const below = (random: Random, count: number): number => random.between(0, count - 1);

type Mutation = (file: Buffer, random: Random) => Buffer;

const piece = (file: Buffer, random: Random): [number, number] => {
  const from = below(random, file.length);
  return [from, Math.min(file.length, from + 1 + below(random, 64))];
};

const mutations: readonly Mutation[] = [
  function someBytes(file, random) {
    const changed = Buffer.from(file);
    for (let n = 1 + below(random, 8); n > 0; n -= 1)
      changed[below(random, file.length)] = below(random, 256);
    return changed;
  },
  function aNumber(file, random) {
    const changed = Buffer.from(file);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(random.pick(numbers));
    if (random.chance(0.5)) number.reverse();
    number.copy(changed, below(random, file.length));
    return changed;
  },
  function cutOff(file, random) {
    return file.subarray(0, 1 + below(random, file.length));
  },
  function without(file, random) {
    const [from, to] = piece(file, random);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  function repeated(file, random) {
    const [from, to] = piece(file, random);
    const times = random.chance(0.5) ? 2 + below(random, 8) : Math.floor(mostBytes / (to - from));
    const again = Array.from({ length: times }, () => file.subarray(from, to));
    return Buffer.concat([file.subarray(0, from), ...again, file.subarray(from)]);
  },
  function filled(file, random) {
    const at = below(random, file.length);
    const fill = Buffer.alloc(1 + below(random, mostBytes), random.chance(0.5) ? 'a\0' : below(random, 256));
    return Buffer.concat([file.subarray(0, at), fill, file.subarray(at)]);
  },
];

/** Applies one to three corruptions in sequence. */
export function mutated(file: Buffer, random: Random): Buffer {
  let changed = file;
  for (let n = 1 + below(random, 3); n > 0; n -= 1) {
    const next = random.pick(mutations)(changed, random).subarray(0, mostBytes);
    if (next.length > 0) changed = next;
  }
  return changed;
}
