/**
 * Every run of a world, depth first. A world is deterministic: what can happen next has names, and the same names in the same order
 * lead to the same state. A state that was seen before is not gone on from.
 */
export interface World {
  /** What can happen next; none: the world has come to rest. */
  choices(): string[];
  take(choice: string): Promise<void>;
  /** All that decides what can follow. Two worlds with one key have one future. */
  key(): string;
  /** What must never be seen, in words; asked in every state. */
  broken(): string[];
  /** What must not be left when nothing can happen any more. */
  left(): string[];
}

export interface Explored {
  states: number;
  steps: number;
  longest: number;
  /** Runs that came to rest. */
  ends: number;
  /** The first run that breaks something; null: none does. */
  found: { run: string[]; broken: string[] } | null;
}

/** `maxStates`: throws when there are more, because a part that was not looked at proves nothing. */
export async function explore(makeWorld: () => World, maxStates: number): Promise<Explored> {
  const seen = new Set<string>();
  const explored: Explored = { states: 0, steps: 0, longest: 0, ends: 0, found: null };
  const open: string[][] = [[]];
  for (let run = open.pop(); run !== undefined; run = open.pop()) {
    const world = await replayed(makeWorld, run, explored);
    let path = run;
    for (;;) {
      const key = world.key();
      if (seen.has(key)) break;
      seen.add(key);
      explored.states = seen.size;
      explored.longest = Math.max(explored.longest, path.length);
      if (seen.size > maxStates) throw new Error(`more than ${maxStates} states`);
      const choices = world.choices();
      if (choices.length === 0) explored.ends += 1;
      const broken = [...world.broken(), ...(choices.length === 0 ? world.left() : [])];
      if (broken.length > 0) {
        explored.found = { run: path, broken };
        return explored;
      }
      const [first, ...others] = choices;
      for (const other of others) open.push([...path, other]);
      if (first === undefined) break;
      await world.take(first);
      explored.steps += 1;
      path = [...path, first];
    }
  }
  return explored;
}

async function replayed(makeWorld: () => World, run: readonly string[], explored: Explored): Promise<World> {
  const world = makeWorld();
  for (const choice of run) await world.take(choice);
  explored.steps += run.length;
  return world;
}
