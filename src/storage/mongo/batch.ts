/**
 * Writes one batch of a lane: an unordered insert, an unordered update of claims, ordered updates of facts (in parallel where they touch
 * different documents), or a delete. Each command may be sent twice: inserts and claims recognise their token, and facts are monotonic. A
 * bulk reply does not say which claims matched; that only matters if not all did.
 */
import { asError } from '../../kernel/faults.ts';
import type { Claim, Commands, NewDocument, Reply, Update } from './commands.ts';
import { Interrupted, Refused, duplicateKeyCode, isTransientCode } from './errors.ts';
import type { Kind, QueuedWork } from './lane.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { RuledUpdate, asStatement, groupByForm } from './ruled-updates.ts';

/** Where a batch is written. */
export interface BatchTarget {
  /** Name of the collection, for the log. */
  name: string;
  commands: Commands;
  retryPolicy: RetryPolicy;
}

/** A statement with its origin: its result goes to index `at` of the results of `of`. */
interface Placed<T> {
  write: T;
  of: QueuedWork;
  at: number;
}

/** Writes the batch and sets each work's result or failure. Never throws. */
export async function writeBatch(
  target: BatchTarget,
  kind: Kind,
  batch: readonly QueuedWork[],
): Promise<void> {
  switch (kind) {
    case 'insert':
      return apart(place(batch, 'inserts'), (placed) => insertAll(target, placed));
    case 'claim':
      return apart(place(batch, 'claims'), (placed) => claimAll(target, placed));
    case 'fact':
      await Promise.all(
        apartById(place(batch, 'facts')).map((some) => apart(some, (placed) => factAll(target, placed))),
      );
      return;
    case 'drop':
      return apart(place(batch, 'drops'), (placed) => dropAll(target, placed));
    default:
      return kind satisfies never;
  }
}

function place<K extends keyof QueuedWork['work']>(
  batch: readonly QueuedWork[],
  part: K,
): Placed<QueuedWork['work'][K][number]>[] {
  return batch.flatMap((of) => [...of.work[part]].map((write, at) => ({ write, of, at })));
}

/** If the server refuses the batch, each write is sent alone, so that only the refused one fails. */
async function apart<T>(
  placed: readonly Placed<T>[],
  write: (placed: readonly Placed<T>[]) => Promise<void>,
): Promise<void> {
  if (placed.length === 0) return;
  try {
    await write(placed);
  } catch (error) {
    if (error instanceof Refused && placed.length > 1) {
      for (const one of placed) await apart([one], write);
    } else {
      for (const { of } of placed) of.failure ??= asError(error);
    }
  }
}

/** A server runs the statements of one command one after the other; several commands use it better (1.7x with four). */
const maxFactCommands = 4;
const minFactsPerCommand = 125;

/** A slow server must answer a command before the socket times out, or the command is sent again. */
const maxFactsPerCommand = 250;

/** Splits facts into groups; those of one document stay in one group and in order. */
function apartById(placed: readonly Placed<Update>[]): Placed<Update>[][] {
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

function firstDeadline(placed: readonly Placed<unknown>[]): number {
  return Math.min(...placed.map(({ of }) => of.deadline));
}

/** A server that changes its role may report that per statement: throws Interrupted, so that the batch is retried. */
function insistOn(reply: Reply): Reply {
  const interrupted = reply.writeErrors.find(({ code }) => isTransientCode(code));
  if (interrupted !== undefined) throw new Interrupted(interrupted.code);
  return reply;
}

function refusedBy(target: BatchTarget, code: number): Refused {
  return new Refused(`MongoDB refused a write to ${target.name}: ${code}`, 'no');
}

async function insertAll(target: BatchTarget, placed: readonly Placed<NewDocument>[]): Promise<void> {
  const { commands, retryPolicy, name } = target;
  const documents = placed.map(({ write }) => write);
  const errors = await retryPolicy.run(
    `insert into ${name}`,
    async (attempt) => {
      const { writeErrors } = insistOn(await commands.insert(documents));
      if (attempt === 0 || writeErrors.length === 0) return writeErrors;
      // On a retry a duplicate key may be an earlier attempt's own insert, which then counts as inserted. [faults: 22]
      const tokens = await commands.tokens(writeErrors.flatMap(({ index }) => documents[index] ?? []));
      return writeErrors.filter(({ index }) => {
        const document = documents[index];
        return document === undefined || tokens.get(document._id) !== document.token;
      });
    },
    firstDeadline(placed),
  );
  for (const { index, code } of errors) {
    const refused = placed[index];
    if (refused === undefined) continue;
    refused.of.result.inserted[refused.at] = false;
    if (code !== duplicateKeyCode) refused.of.failure ??= refusedBy(target, code);
  }
}

async function claimAll(target: BatchTarget, placed: readonly Placed<Claim>[]): Promise<void> {
  const { commands, retryPolicy, name } = target;
  const claims = placed.map(({ write }) => write);
  const tokens = await retryPolicy.run(
    `claims in ${name}`,
    async () => {
      const { n, writeErrors } = insistOn(await commands.update(claims, false));
      const [refused] = writeErrors;
      if (refused !== undefined) throw refusedBy(target, refused.code);
      if (n === claims.length) return null;
      return commands.tokens(claims.map(({ id, channelId }) => ({ _id: id, channelId })));
    },
    firstDeadline(placed),
  );
  if (tokens === null) return;
  for (const { write, of, at } of placed) of.result.claimed[at] = tokens.get(write.id) === write.token;
}

/** One statement for the facts of one form. [performance §4] */
async function factAll(target: BatchTarget, placed: readonly Placed<Update>[]): Promise<void> {
  const alone: Placed<Update>[] = [];
  for (let from = 0; from < placed.length; from += maxFactsPerCommand) {
    const some = placed.slice(from, from + maxFactsPerCommand);
    if (!(await writeByForm(target, some))) alone.push(...some);
  }
  if (alone.length > 0) await writeOneByOne(target, alone);
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

async function dropAll(
  { commands, retryPolicy, name }: BatchTarget,
  placed: readonly Placed<string>[],
): Promise<void> {
  const ids = placed.map(({ write }) => write);
  await retryPolicy.run(
    `drops from ${name}`,
    async () => insistOn(await commands.remove(ids)),
    firstDeadline(placed),
  );
}
