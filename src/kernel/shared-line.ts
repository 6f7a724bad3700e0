/**
 * A counted number of slots with a bounded line before them, shared by whoever waits in it. In a full line a newcomer takes the last place
 * of the one who holds most of them, who is refused; whoever holds most is refused himself. [faults: I11, 320]
 */
interface Waiting {
  of: string;
  go: (granted: boolean) => void;
}

interface Line {
  waiting: Waiting[];
  held: Map<string, number>;
}

const newLine = (): Line => ({ waiting: [], held: new Map() });

/** `known` goes before `strangers`, and has places of its own. */
export type LineName = 'known' | 'strangers';

export class SharedLine {
  readonly #slots: number;
  readonly #places: number;
  readonly #lines: Record<LineName, Line> = { known: newLine(), strangers: newLine() };
  #taken = 0;

  /** `places`: of each line. */
  constructor(slots: number, places: number) {
    this.#slots = slots;
    this.#places = places;
  }

  /** True: the caller has a slot until it calls `free`. False: there is no place in this line for `of`, or somebody else took it. */
  take(name: LineName, of: string): boolean | Promise<boolean> {
    if (this.#taken < this.#slots) {
      this.#taken += 1;
      return true;
    }
    const line = this.#lines[name];
    if (line.waiting.length >= this.#places && !makeRoom(line, of)) return false;
    return new Promise((go) => {
      line.waiting.push({ of, go });
      count(line, of, 1);
    });
  }

  free(): void {
    const next = leave(this.#lines.known, 0) ?? leave(this.#lines.strangers, 0);
    if (next === null) this.#taken -= 1;
    else next.go(true);
  }
}

function makeRoom(line: Line, of: string): boolean {
  const most = Math.max(...line.held.values());
  if ((line.held.get(of) ?? 0) + 1 >= most) return false;
  const index = line.waiting.findLastIndex((waiting) => line.held.get(waiting.of) === most);
  leave(line, index)?.go(false);
  return true;
}

function leave(line: Line, index: number): Waiting | null {
  const [gone = null] = line.waiting.splice(index, 1);
  if (gone !== null) count(line, gone.of, -1);
  return gone;
}

function count({ held }: Line, of: string, by: 1 | -1): void {
  const now = (held.get(of) ?? 0) + by;
  if (now === 0) held.delete(of);
  else held.set(of, now);
}
