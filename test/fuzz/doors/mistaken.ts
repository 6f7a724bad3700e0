/** A door with a mistake behind two bytes, which nobody guesses at once: who sees what has run finds one after the other. */
import type { Door } from '../door.ts';

const mistakes: Readonly<Record<string, () => Promise<string>>> = {
  throws: () => Promise.reject(new Error('0x99 is not expected')),
  'stands still': async () => {
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 80_000) continue;
    return 'late';
  },
  hangs: () => new Promise<string>(() => undefined),
};

export async function openMistaken(): Promise<Door> {
  const mistake = mistakes[process.env['FUZZ_MISTAKE'] ?? ''] ?? (async () => 'none');
  return {
    seeds: ['me'],
    maxBytes: 2,
    async run(input) {
      if (input[0] !== 0x54) return '';
      if (input[1] !== 0x99) return '';
      return mistake();
    },
    close: async () => undefined,
  };
}
