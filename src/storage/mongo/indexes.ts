/**
 * Indexes of all collections, created at every start; creating an existing index has no effect. A partial index contains only documents
 * with the field, so that a million past messages of a channel do not slow down its open ones. [performance §3, 10]
 */
import type { CreateIndexesOptions, Db } from 'mongodb';
import type { AnyEntity, DocumentIndex } from '../entities/entity.ts';
import { memberName } from './items.ts';
import type { RetryPolicy } from './retry-policy.ts';

interface Made {
  name: string;
  key: Record<string, 1 | -1>;
  options: Pick<CreateIndexesOptions, 'unique' | 'partialFilterExpression' | 'expireAfterSeconds'>;
}

/** By collection. */
export function indexesOf(entities: readonly AnyEntity[]): Readonly<Record<string, readonly Made[]>> {
  return {
    ...Object.fromEntries(entities.map((each) => [each.name, listIndexes(each)])),
    owners: [{ name: 'owner', key: { incarnation: 1 }, options: indexOptions({}, present('incarnation')) }],
    // GridFS's own index, under its drivers' name. The one on `media.files`, which no query uses, is left to the drivers.
    'media.chunks': [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, options: { unique: true } }],
  };
}

function listIndexes(entity: AnyEntity): Made[] {
  const { inDatabase = {} } = entity;
  const named = Object.values(entity.indexes).flatMap((index) => {
    const { database: name, on, where, filter } = index;
    const key = Object.fromEntries(on.map((field) => [memberName(entity, field), 1 as const]));
    const only =
      where !== undefined && 'present' in where ? present(memberName(entity, where.present)) : undefined;
    const isOther = name === undefined || Object.hasOwn(inDatabase, name);
    return isOther ? [] : [{ name, key, options: indexOptions(index, filter ?? only) }];
  });
  const others = Object.entries(inDatabase).map(([name, index]) => ({
    name,
    key: { ...index.key },
    options: indexOptions(index, index.filter),
  }));
  return [...named, ...others];
}

function present(member: string): object {
  return { [member]: { $exists: true } };
}

function indexOptions(
  { isUnique, expiresAfterMs }: Pick<DocumentIndex, 'isUnique' | 'expiresAfterMs'>,
  filter: object | undefined,
): Made['options'] {
  return {
    ...(isUnique === true ? { unique: true } : {}),
    ...(filter === undefined ? {} : { partialFilterExpression: filter }),
    ...(expiresAfterMs === undefined ? {} : { expireAfterSeconds: expiresAfterMs / 1_000 }),
  };
}

/** Indexes of older versions that this one drops. */
const retired: Readonly<Record<string, string>> = { deliveries: 'finished' };

/** Throws StoreUnavailable if the server refuses, for example because an index of the same name differs. */
export async function makeIndexes(
  db: Db,
  retryPolicy: RetryPolicy,
  entities: readonly AnyEntity[],
): Promise<void> {
  await Promise.all(
    Object.entries(indexesOf(entities))
      .filter(([, wanted]) => wanted.length > 0)
      .map(([collection, wanted]) =>
        retryPolicy.run(`indexes of ${collection}`, () =>
          db
            .collection(collection)
            .createIndexes(wanted.map(({ name, key, options }) => ({ name, key, ...options }))),
        ),
      ),
  );
  await Promise.all(
    Object.entries(retired).map(([collection, name]) => dropIndex(db, retryPolicy, collection, name)),
  );
}

async function dropIndex(db: Db, retryPolicy: RetryPolicy, collection: string, name: string): Promise<void> {
  await retryPolicy.run(`an index of ${collection}`, async () => {
    const there = await db.collection(collection).indexes();
    if (there.some((index) => index.name === name)) await db.collection(collection).dropIndex(name);
  });
}
