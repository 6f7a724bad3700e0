/** What a channel's owner writes about its messages, as statements. Each names its channel: a foreign id has no effect. */
import type { Document } from 'mongodb';
import type { SealedUnmatchedFact, Write } from '../../../../../actors/channel/ports/writes.ts';
import type { EndedCall } from '../../../../domain/messages/call-log.ts';
import { rankOf, statusTimes } from '../../../../domain/messages/message.ts';
import type { OutboundMessage } from '../../../../domain/messages/message.ts';
import { newToken } from '../commands.ts';
import type { Claim, NewDocument, Update } from '../commands.ts';
import { stored } from '../documents.ts';
import type { MessageFact } from '../documents.ts';

type Of<W extends Write['write']> = Extract<Write, { write: W }>;

let arrivals = 0;

export function newMessage(channelId: string, epoch: number, message: OutboundMessage): NewDocument {
  const { upstreamIds, ...fields } = stored(message);
  const isOpen = message.state === 'sending' || message.state === 'queued';
  const dueAt = isOpen ? (message.nextTryAt ?? message.attemptedAt) : undefined;
  arrivals += 1;
  return {
    ...fields,
    channelId,
    epoch,
    dueAt,
    upstreamIds: upstreamIds.length === 0 ? undefined : upstreamIds,
    // What came first goes out first, whatever clocks say: within one epoch there is one process. [architecture §5, Order]
    firstEpoch: epoch,
    arrival: arrivals,
    token: newToken(),
  };
}

export function copyClaim(channelId: string, epoch: number, write: Of<'claimCopy'>): Claim {
  const { messageId: id, expect, attemptedAt, before } = write;
  const started = before === undefined ? {} : { [`calls.${before.n}.at`]: before.at };
  const token = newToken();
  return {
    id,
    token,
    q: { _id: id, channelId, ...expect, state: { $in: ['sending', 'queued'] }, epoch: { $lte: epoch } },
    u: {
      $set: { state: 'sending', attemptedAt, dueAt: attemptedAt, epoch, token, ...started },
      $inc: { copies: 1, tries: 1 },
      $unset: { nextTryAt: '' },
    },
  };
}

/** Monotonic, so that saying it twice, late or by a former owner does no harm. [architecture §4, Fence intents] */
export function messageFact(channelId: string, fact: MessageFact): Update {
  const id = fact.messageId;
  const [more, u] = changeOf(fact);
  return { id, q: { _id: id, channelId, ...more }, u };
}

const closed = { nextTryAt: '', content: '', dueAt: '' };

/** Which messages it changes, beyond id and channel, and how. */
function changeOf(fact: MessageFact): [q: Document, u: Document | Document[]] {
  switch (fact.write) {
    case 'recordAccepted':
      return [{}, accepted(fact)];
    case 'recordDeferred':
      return [{ state: 'sending' }, deferred(fact)];
    case 'recordUnknown':
      return [{ state: 'sending' }, { $set: { state: 'queued', ...logged(fact.call) } }];
    case 'recordFailed':
      return [{ state: { $ne: 'sent' } }, failed(fact)];
    case 'recordStatus':
      return [{}, reported(fact)];
    default:
      return fact satisfies never;
  }
}

function accepted({ upstreamId, rank, at, call }: Of<'recordAccepted'>): Document {
  const known = upstreamId === null ? {} : { $addToSet: { upstreamIds: upstreamId } };
  const delivered = rank >= rankOf('delivered') ? { deliveredAt: at } : {};
  return {
    $set: { state: 'sent', ...logged(call) },
    $max: { rank, statusAt: at },
    $min: { sentAt: at, ...delivered },
    $unset: closed,
    ...known,
  };
}

/** The entry of this call; whoever says it again says the same. */
function logged(call: EndedCall | undefined): Document {
  if (call === undefined) return {};
  const { n, ...entry } = call;
  return { [`calls.${n}`]: entry };
}

/** The same in a pipeline. */
function loggedLiterally(call: EndedCall | undefined): Document {
  return Object.fromEntries(Object.entries(logged(call)).map(([path, $literal]) => [path, { $literal }]));
}

// A pipeline where a field depends on another. $literal: in a pipeline a text that starts with $ is the name of a field.
function deferred({ nextTryAt, error, errorCode, call }: Of<'recordDeferred'>): Document[] {
  const copies = { $max: [{ $subtract: ['$copies', 1] }, 0] };
  const set = {
    state: 'queued',
    copies,
    nextTryAt,
    dueAt: nextTryAt,
    error: { $literal: error },
    ...loggedLiterally(call),
  };
  return errorCode === null
    ? [{ $set: set }, { $unset: 'errorCode' }]
    : [{ $set: { ...set, errorCode: { $literal: errorCode } } }];
}

function failed({ error, errorCode, at: failedAt, call }: Of<'recordFailed'>): Document {
  const set = { state: 'failed', error, ...logged(call) };
  return errorCode === null
    ? { $set: set, $min: { failedAt }, $unset: { ...closed, errorCode: '' } }
    : { $set: { ...set, errorCode }, $min: { failedAt }, $unset: closed };
}

function reported({ status, upstreamId, at, why }: Of<'recordStatus'>): Document[] {
  const time = statusTimes[status];
  const set: Document = {
    state: { $cond: [{ $eq: ['$state', 'abandoned'] }, '$state', 'sent'] },
    rank: { $max: ['$rank', rankOf(status)] },
    statusAt: { $max: ['$statusAt', at] },
    [time]: { $min: [`$${time}`, at] },
  };
  if (status === 'failed') set['deliveryFailed'] = true;
  if (upstreamId !== null) set['upstreamIds'] = withUpstreamId(upstreamId);
  const gone: string[] = Object.keys(closed);
  if (why !== undefined) {
    set['error'] = { $literal: why.error };
    if (why.errorCode === null) gone.push('errorCode');
    else set['errorCode'] = { $literal: why.errorCode };
  }
  return [{ $set: set }, { $unset: gone }];
}

/** In order of arrival, each once: `$setUnion` would sort. */
function withUpstreamId(upstreamId: string): Document {
  const known = { $ifNull: ['$upstreamIds', []] };
  const id = { $literal: upstreamId };
  return { $cond: [{ $in: [id, known] }, known, { $concatArrays: [known, [id]] }] };
}

export function unmatchedIds(channelId: string, factId: string): string {
  return `${channelId}:${factId}`;
}

export function unmatchedFact(channelId: string, unmatched: SealedUnmatchedFact): Update {
  const id = unmatchedIds(channelId, unmatched.id);
  const { fact, dueAt, tries } = unmatched;
  const expiresAt = new Date(unmatched.expiresAt);
  return {
    id,
    q: { _id: id },
    u: {
      $set: { channelId, factId: unmatched.id, fact, expiresAt, ...(dueAt === null ? {} : { dueAt, tries }) },
    },
    upsert: true,
  };
}
