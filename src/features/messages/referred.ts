/** Messages that a call refers to by our id, as upstream knows them: the one that a send answers. */
import { sleep } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { asWritten, isMessageId } from '../../kernel/ids.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { arePeopleApart } from '../../rules/messages/other-person.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import { findNames } from '../person-names/index.ts';
import type { World } from '../world.ts';

interface Referred {
  upstreamId: string;
  /** The other side of the conversation, as a recipient. */
  person: string;
}

type Place = Pick<Channel, 'id' | 'accountId' | 'hasEndpoints'>;
type Stored = Pick<World, 'stores' | 'clock'>;

interface Asked {
  /** Of the request, which has the id. */
  field: string;
  id: string;
}

/**
 * The message of this channel with our id, within the delivery log's retention. Throws fault `unknown_message` for `field`: `not_found`, also
 * if it is another channel's, or `not_sent`, while upstream has given it no id.
 */
async function requireReferred(
  world: Stored,
  channel: Place,
  { field, id: given }: Asked,
): Promise<Referred> {
  const id = asWritten(given);
  if (!isMessageId(id)) throw unknownMessage(field, 'not_found');
  const sent = id.includes('.') ? null : await readSent(world, channel, id);
  if (sent !== null) {
    const [upstreamId] = sent.upstreamIds;
    if (upstreamId === undefined) throw unknownMessage(field, 'not_sent');
    return { upstreamId, person: sent.recipient };
  }
  const found = await findTold(world, channel, id);
  if (found === null || found.upstreamId === null || found.person === null)
    throw unknownMessage(field, 'not_found');
  return { upstreamId: found.upstreamId, person: found.person };
}

/** Pauses (ms) before a message under way is read again. */
const pausesMs = [20, 80, 300, 1_000];

/**
 * On MongoDB the outcome of a send is on record with its event, and its client has the answer, some moments before it is on the message.
 * [architecture §2.1, persist before act]
 */
async function readSent({ stores: { referred }, clock }: Stored, channel: Place, id: string) {
  let sent = await referred.sent(channel, id);
  for (const pauseMs of pausesMs) {
    if (sent?.state !== 'sending') break;
    await sleep(clock, pauseMs);
    sent = await referred.sent(channel, id);
  }
  return sent;
}

/**
 * Upstream's id of a message of the conversation with `recipient`: a quote of another person's would show its text. Throws what `requireReferred`
 * throws, and `other_person` if it is surely one's.
 */
export async function requireOfPerson(
  world: Stored,
  channel: Place & Pick<Channel, 'channelType'>,
  { recipient, ...asked }: Asked & { recipient: string },
): Promise<string> {
  const { upstreamId, person } = await requireReferred(world, channel, asked);
  if (person !== recipient && (await areApart(world, channel, person, recipient)))
    throw unknownMessage(asked.field, 'other_person');
  return upstreamId;
}

async function areApart(
  world: Stored,
  channel: Place & Pick<Channel, 'channelType'>,
  person: string,
  recipient: string,
): Promise<boolean> {
  if (!kindOf(channel.channelType).peopleHaveNames) return true;
  const [names, others] = await Promise.all(
    [person, recipient].map((name) => findNames(world, channel, name)),
  );
  return arePeopleApart(names ?? [], others ?? []);
}

/**
 * The message with our id that a person wrote to this channel, within the delivery log's retention. Throws 404 `not_found`, and fault
 * `unknown_message` with `not_received` for one of the business.
 */
export async function requireReceived(world: Stored, channel: Place, id: string): Promise<Referred> {
  const found = await findTold(world, channel, id);
  if (found?.event === 'message.received' && found.upstreamId !== null && found.person !== null)
    return { upstreamId: found.upstreamId, person: found.person };
  if (found?.event === 'message.echo' || (await world.stores.referred.sent(channel, id)) !== null)
    throw unknownMessage('message_id', 'not_received');
  throw fault('not_found', {
    what: 'Message',
    why: 'no webhook or endpoint of this channel was told of it lately',
  });
}

/** An event that only an endpoint takes is in its deliveries alone, also once it takes no more or is gone. [faults: 402] */
async function findTold(
  { stores: { referred, endpoints } }: Stored,
  { id, accountId, hasEndpoints }: Place,
  messageId: string,
) {
  const own = await referred.delivered({ ownerId: id, accountId }, messageId);
  if (own !== null || !hasEndpoints) return own;
  const findAmong = async (owners: readonly string[]) => {
    const told = owners.map((ownerId) => referred.delivered({ ownerId, accountId }, messageId));
    return (await Promise.all(told)).find((found) => found !== null) ?? null;
  };
  const current = (await endpoints.ofChannel(id)).map((endpoint) => ownerOf(id, endpoint.id));
  const found = await findAmong(current);
  if (found !== null) return found;
  // Those that are gone are found one after the other: seldom needed.
  const logged = await referred.loggedOwners(id);
  return findAmong(logged.filter((ownerId) => !current.includes(ownerId)));
}

function unknownMessage(
  field: string,
  reason: 'not_found' | 'not_sent' | 'not_received' | 'other_person',
): Error {
  return fault('unknown_message', { field, reason });
}
