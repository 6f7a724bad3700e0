/** Entry points with a bug behind two bytes, which cannot be guessed at once: coverage finds one byte after the other. */
import type { Target, OpenTarget } from '../target.ts';

export const openThrowing = openWith(() => Promise.reject(new Error('0x99 is not expected')));

export const openBlocking = openWith(async () => {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 80_000) continue;
  return 'late';
});

export const openHanging = openWith(() => new Promise<string>(() => undefined));

function openWith(mistake: () => Promise<string>): OpenTarget {
  return async (): Promise<Target> => ({
    seeds: ['me'],
    maxBytes: 2,
    hangsAfterMs: 1_000,
    async run(input) {
      if (input[0] !== 0x54) return '';
      if (input[1] !== 0x99) return '';
      return mistake();
    },
    close: async () => undefined,
  });
}
