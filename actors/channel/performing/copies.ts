/** The deliveries of a commit's events to further endpoints of the channel: stored here, posted by the owner of each endpoint. */
import { sealContext } from '../../../src/kernel/sealed.ts';
import { builtEvent, makeDeliveryId, readAbout } from '../../../src/rules/events/built.ts';
import type { ChannelEvent } from '../../../src/rules/events/built.ts';
import type { EndpointNote } from '../../../src/rules/webhooks/endpoints.ts';
import type { ChannelSettings, PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { ChannelWork, OwnPorts } from './channel-ports.ts';

/** What one endpoint gets of a commit. */
export interface EndpointCopies {
  ownerId: string;
  writes: readonly Extract<Write, { write: 'insertCopy' }>[];
  added: readonly PendingDelivery[];
  follows: number | null;
}

export const noCopies: readonly EndpointCopies[] = [];

type Making = Pick<OwnPorts, 'sealer' | 'clock' | 'places' | 'names'>;
type OfChannel = ChannelSettings['channel'];

interface Asked {
  events: readonly ChannelEvent[];
  channel: OfChannel;
  endpoints: readonly EndpointNote[];
}

export function buildCopies(
  ports: Making,
  { events, channel, endpoints }: Asked,
  { grant: { epoch } }: ChannelWork,
): EndpointCopies[] {
  const bodies = events.map((said) => bodyOf(ports, channel, said));
  return endpoints.flatMap(({ ownerId, events: wanted }) => {
    const own = bodies.filter(({ said }) => wanted.includes(said.event));
    if (own.length === 0) return [];
    const writes = own.map((body) => copyOf(ports, body, { ownerId, channel, epoch }));
    const added = writes.map(pendingOf);
    const last = added.at(-1)?.sequence ?? null;
    return [{ ownerId, writes, added, follows: last === null ? null : ports.places.noteTold(ownerId, last) }];
  });
}

/** The owner of each endpoint gets what is stored for it; if it gets nothing, the next sweep finds it. */
export function tellCopies(
  { owners }: Pick<OwnPorts, 'owners'>,
  copies: readonly EndpointCopies[],
  arrivedAt: number | null,
): void {
  for (const { ownerId, added, follows } of copies) owners.wake(ownerId, { added, follows, arrivedAt });
}

interface Body {
  said: ChannelEvent;
  bytes: Uint8Array;
  person: string | null;
}

/** In order, all names of a person are one, and stay it: the owner of the endpoint hears no names. */
function bodyOf({ names }: Pick<Making, 'names'>, channel: OfChannel, said: ChannelEvent): Body {
  const { envelope } = builtEvent(channel, said);
  const { person: name } = readAbout(envelope);
  const person = channel.ordered && name !== null ? names.firstTold(channel.id, name) : name;
  return { said, bytes: Buffer.from(JSON.stringify(envelope)), person };
}

/** Without the type of its message: the message is on record with the delivery of its channel. */
function copyOf(
  { sealer, clock, places }: Making,
  { said: { event, messageId, requestId, upstreamId, again }, bytes, person }: Body,
  { ownerId, channel: { accountId, ordered }, epoch }: { ownerId: string; channel: OfChannel; epoch: number },
): EndpointCopies['writes'][number] {
  const id = makeDeliveryId(ownerId, messageId, event, again);
  const now = clock.now();
  const delivery = {
    id,
    channelId: ownerId,
    accountId,
    event,
    messageId,
    person,
    messageType: null,
    upstreamId: upstreamId ?? null,
    requestId: requestId ?? null,
    state: 'pending' as const,
    payload: sealer.seal(bytes, sealContext.delivery(ownerId, id)),
    attempts: 0,
    claims: 0,
    firstTriedAt: null,
    nextDueAt: now,
    lastResult: null,
    attemptLog: null,
    keptSince: null,
    keptBytes: null,
    sequence: ordered ? places.next(epoch) : null,
    epoch: 0, // no owner has claimed it
    createdAt: now,
  };
  return { write: 'insertCopy', delivery };
}

function pendingOf({ delivery }: EndpointCopies['writes'][number]): PendingDelivery {
  const { id, event, messageId, requestId, nextDueAt, createdAt, person, sequence, payload } = delivery;
  const untried = { attempts: 0, claims: 0, firstTriedAt: null, attemptLog: null };
  const bytes = payload?.length ?? 0;
  return { id, event, messageId, requestId, ...untried, nextDueAt, createdAt, person, sequence, bytes };
}
