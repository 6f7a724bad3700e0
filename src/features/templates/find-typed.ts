/** The templates of an account whose name contains what somebody typed, each with a channel through which it is seen. */
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { NamedTemplate } from './store.ts';

/** Of the account, in order of their names: others are not found. Their texts are not read. */
const mostLookedAt = 2_000;

interface TypedTemplates {
  items: (NamedTemplate & { channelId: string })[];
  isMore: boolean;
}

/** `typed`: a part of a name, or an id, in small letters. */
export async function findTypedTemplates(
  { stores, searches }: Pick<World, 'stores' | 'searches'>,
  { accountId }: Caller,
  typed: string,
  most: number,
): Promise<TypedTemplates> {
  const all = await searches.run(accountId, () => stores.templates.names(accountId, mostLookedAt));
  const fitting = all.filter(({ id, name }) => id === typed || name.includes(typed));
  const items: TypedTemplates['items'] = [];
  for (const each of fitting.slice(0, most)) {
    const [channel] = await stores.channels.activeOn(each.businessAccountId, 1, accountId);
    if (channel !== undefined) items.push({ ...each, channelId: channel.id });
  }
  return { items, isMore: fitting.length > most };
}
