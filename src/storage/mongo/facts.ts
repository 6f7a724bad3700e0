/** The facts of a batch: in parallel where they touch different documents, and one statement for those of one form. [performance §4] */
import type { Reply, Update } from './commands.ts';
import { duplicateKeyCode } from './errors.ts';
import { firstDeadline, insistOn, refusedBy } from './placed.ts';
import type { BatchTarget, Placed } from './placed.ts';
import { RuledUpdate, asStatement, groupByForm } from './ruled-updates.ts';

/** A server runs the statements of one command one after the other; several commands use it better (1.7x with four). */
const maxFactCommands = 4;
const minFactsPerCommand = 125;

/** A slow server must answer a command before the socket times out, or the command is sent again. */
const maxFactsPerCommand = 250;

/** Splits facts into groups; those of one document stay in one group and in order. */
export function apartById(placed: readonly Placed<Update>[]): Placed<Update>[][] {
  const count = Math.min(maxFactCommands, Math.ceil(placed.length / minFactsPerCommand));
  const groups: Placed<Update>[][] = Array.from({ length: count }, () => []);
  const groupById = new Map<string, number>();
  for (const fact of placed) {
    const { id } = fact.write;
    const group = groupById.get(id) ?? groupById.size % count;
    groupById.set(id, group);
    groups[group]?.push(fact);
  }
  return groups;
}

/** Of a slice that one statement for each form did not write as a whole, each fact is written by itself, before the next slice. */
export async function factAll(target: BatchTarget, placed: readonly Placed<Update>[]): Promise<void> {
  for (let from = 0; from < placed.length; from += maxFactsPerCommand) {
    const some = placed.slice(from, from + maxFactsPerCommand);
    if (!(await writeByForm(target, some))) await writeOneByOne(target, some);
  }
}

/**
 * False if not every document was found and written: facts are monotonic, so that they may then be written again, each with its own
 * statement. A sharded cluster may miss a document that moves between shards during a statement for many. [faults: 420, 421]
 */
async function writeByForm(
  { commands, retryPolicy, name }: BatchTarget,
  placed: readonly Placed<Update>[],
): Promise<boolean> {
  const updates = placed.flatMap(({ write }) => (write instanceof RuledUpdate ? [write] : []));
  if (updates.length < placed.length) return false;
  const groups = groupByForm(updates);
  if (groups.length === updates.length) return false;
  const statements = groups.map(asStatement);
  const { n, writeErrors } = await retryPolicy.run(
    `facts in ${name}`,
    async () => insistOn(await commands.update(statements, true)),
    firstDeadline(placed),
  );
  return writeErrors.length === 0 && n === updates.length;
}

/** In order. After a statement that failed it continues with that one, because those before it are done. */
async function writeOneByOne(target: BatchTarget, placed: readonly Placed<Update>[]): Promise<void> {
  const deadline = firstDeadline(placed);
  let takenOnce = -1;
  for (let from = 0; from < placed.length;) {
    const next = placed.slice(from, from + maxFactsPerCommand);
    const { failed, made } = await writeInOrder(target, next, deadline);
    for (const at of made) noteMade(next[at]);
    if (failed === null) {
      from += next.length;
      continue;
    }
    from += failed.index;
    if (failed.code === duplicateKeyCode && takenOnce !== from) {
      takenOnce = from; // two upserts raced; the document exists by now
      continue;
    }
    const refused = placed[from];
    const isThere = failed.code === duplicateKeyCode && refused?.write.whenTaken === 'done';
    if (isThere) noteMade(refused);
    else if (refused !== undefined) refused.of.failure ??= refusedBy(target, failed.code);
    from += 1;
  }
}

function noteMade(placed: Placed<Update> | undefined): void {
  placed?.of.result.made.push(placed.at);
}

interface WrittenInOrder {
  failed: Reply['writeErrors'][number] | null;
  made: readonly number[];
}

/** Writes up to the first statement that fails. `made`: those that made their document; of a repeated command also those that may have. */
async function writeInOrder(
  { commands, retryPolicy, name }: BatchTarget,
  placed: readonly Placed<Update>[],
  deadline: number,
): Promise<WrittenInOrder> {
  const facts = placed.map(({ write }) => write);
  return retryPolicy.run(
    `facts in ${name}`,
    async (attempt) => {
      const { writeErrors, upserted } = insistOn(await commands.update(facts, true));
      const failed = writeErrors[0] ?? null;
      const upserts = (): number[] =>
        facts.flatMap(({ upsert }, at) => (upsert === true && at < (failed?.index ?? Infinity) ? [at] : []));
      return { failed, made: attempt === 0 ? upserted : upserts() };
    },
    deadline,
  );
}
