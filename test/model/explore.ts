/**
 * Explores every run of a world, depth first. A world is deterministic: each possible next step has a name, and the same names in the same
 * order lead to the same state. A state that was seen before is not continued.
 */
export interface World {
  /** The possible next steps; none: the world is at rest. */
  choices(): string[];
  take(choice: string): Promise<void>;
  /** Everything that determines the future: two worlds with one key have the same future. */
  key(): string;
  /** Violations that may not occur in any state, as sentences. */
  broken(): string[];
  /** Violations that may not remain at rest. */
  left(): string[];
}

export interface Explored {
  states: number;
  steps: number;
  longest: number;
  /** Runs that came to rest. */
  ends: number;
  /** The first run with a violation; null: none. */
  found: { run: string[]; broken: string[] } | null;
}

/** `maxStates`: throws if there are more, because an unexplored part proves nothing. */
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
