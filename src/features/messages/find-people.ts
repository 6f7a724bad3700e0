/** People with whom an account has messages, by a part of their number or id. */
import type { Caller } from '../../rules/caller.ts';
import { personIn } from '../../rules/channels/recipient.ts';
import type { World } from '../world.ts';
import { endOfTime } from './list.ts';

/** Shorter parts fit too many. */
const fewestCharacters = 3;
/** Newest messages that are looked through for a part of the number that is not its beginning, of each direction. */
const newestRead = 400;

interface FoundPeople {
  people: readonly string[];
  isMore: boolean;
}

/**
 * At most `most`: those whose number or id begins with the text, along an index, then those of the newest messages that contain it. Reads a
 * bounded number of messages, whatever their number.
 */
export async function findPeople(
  { stores, searches, clock, settings }: Pick<World, 'stores' | 'searches' | 'clock' | 'settings'>,
  { accountId }: Pick<Caller, 'accountId'>,
  text: string,
  most: number,
): Promise<FoundPeople> {
  const part = personIn(text);
  if (part.length < fewestCharacters) return { people: [], isMore: false };
  return searches.run(accountId, async () => {
    const beginning = await stores.messageList.people(accountId, part, most + 1);
    const since = clock.now() - settings.deliveryLogMs;
    const before = { createdAt: endOfTime, id: '' };
    const newest = { accountId, channelId: null, person: null, since, before, limit: newestRead };
    const sent = await stores.messageList.sent(newest);
    const delivered = await stores.messageList.delivered(newest);
    const recent = [...sent.map(({ recipient }) => recipient), ...delivered.map(({ person }) => person)];
    const containing = recent.flatMap((person) => (person?.includes(part) === true ? [person] : []));
    const people = [...new Set([...beginning, ...containing])];
    return { people: people.slice(0, most), isMore: people.length > most };
  });
}
