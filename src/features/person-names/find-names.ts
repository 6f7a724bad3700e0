import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';

/** A person has a number, the number that is dialled for it, and an id for each portfolio of the account's channels. */
const maxNames = 16;
/** Names read around one. */
const perName = 16;

/** This name and the others that upstream has said to be of the same person; at most 16, the given one first. */
export async function findNames(
  { stores }: Pick<World, 'stores'>,
  { accountId }: Pick<Caller, 'accountId'>,
  name: string,
): Promise<string[]> {
  const names = new Set([name]);
  for (const each of names) {
    const beside = await stores.personNames.beside(accountId, each, perName);
    for (const other of beside) if (names.size < maxNames) names.add(other);
  }
  return [...names];
}
