/**
 * Writes one batch of a lane: an unordered insert, an unordered update of claims, ordered updates of facts (in parallel where they touch
 * different documents), or a delete. Each command may be sent twice: inserts and claims recognise their token, and facts are monotonic. A
 * bulk reply does not say which claims matched; that only matters if not all did.
 */
import { asError } from '../../kernel/faults.ts';
import type { Claim, NewDocument } from './commands.ts';
import { Refused, duplicateKeyCode } from './errors.ts';
import { apartById, factAll } from './facts.ts';
import type { Kind, QueuedWork } from './lane.ts';
import { firstDeadline, insistOn, refusedBy } from './placed.ts';
import type { BatchTarget, Placed } from './placed.ts';

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
