/** One message of a number: written by a person, or an echo of what the business or upstream's agent wrote. [upstream §4.1, §4.2, §4.4] */
import type { Echo, InboundMessage, PersonChange } from '../../rules/messages/facts.ts';
import type { MessageContent } from '../kind.ts';
import { asId, asRecord, asText, asTime } from '../read.ts';
import type { Json } from '../read.ts';
import { readContent } from './content.ts';
import { readMessageContext } from './context.ts';
import { withoutPlus } from './names.ts';
import type { Names } from './names.ts';
import { readPersonChange } from './person-change.ts';

/** The number that a message was sent from or to. */
export interface OwnNumber {
  identity: string;
  /** As digits; null: upstream did not say. */
  digits: string | null;
  /** Replaces a missing time. */
  now: number;
}

type Left = 'ignored' | 'malformed';

/** An element of `messages`. */
export function readMessage(
  item: unknown,
  own: OwnNumber,
  names: Names,
): InboundMessage | PersonChange | Echo | Left {
  const message = asRecord(item);
  if (message === null) return 'malformed';
  // A reply would go to the participant alone, and the service can't write to groups. [upstream §4.1]
  if (message['group_id'] !== undefined) return 'ignored';
  if (message['type'] === 'system') return readPersonChange(message, own);
  const from = readSender(message, names);
  if (from !== null && from === own.digits) return readOwn(message, own);
  const read = readCommon(message, own);
  if (typeof read === 'string') return read;
  if (from === null) return 'malformed';
  const named = names.of(from, asId(message['from_user_id']));
  return {
    kind: 'inbound',
    ...read,
    from,
    fromName: named?.name ?? null,
    ...readMessageContext(message, named),
  };
}

/**
 * A person with a username may have no visible number: then the business-scoped id identifies them. Some messages leave that to the
 * contact beside them. [upstream §4.1]
 */
function readSender(message: Json, names: Names): string | null {
  return withoutPlus(asId(message['from']) ?? asId(message['from_user_id'])) ?? names.only();
}

/** An element of `message_echoes`. */
export function readEcho(item: unknown, own: OwnNumber): Echo | Left {
  const message = asRecord(item);
  if (message === null) return 'malformed';
  const read = readCommon(message, own);
  if (typeof read === 'string') return read;
  const recipient = readRecipient(message);
  return recipient === null ? 'malformed' : { kind: 'echo', ...read, recipient, appId: null, tag: null };
}

/** An echo of upstream's agent: what it sent is one level deeper, in the form of a send. [upstream §4.10] */
export function readAgentEcho(item: unknown, own: OwnNumber): Echo | Left {
  const echo = asRecord(item);
  const sent = asRecord(echo?.['message']);
  return readEcho(sent === null ? echo : { ...sent, id: echo?.['id'], timestamp: echo?.['timestamp'] }, own);
}

/** What the number itself wrote is no message of a person, also without the mark of an echo. */
function readOwn(message: Json, own: OwnNumber): Echo | Left {
  return readRecipient(message) === null ? 'ignored' : readEcho(message, own);
}

function readRecipient(message: Json): string | null {
  return withoutPlus(asId(message['to']) ?? asId(message['to_user_id']) ?? asId(message['recipient']));
}

type Common = Pick<InboundMessage, 'identity' | 'upstreamId' | 'at'> & {
  channelType: 'chatapp';
} & MessageContent;

function readCommon(message: Json, { identity, now }: OwnNumber): Common | Left {
  const content = readContent(message);
  if (typeof content === 'string') return content;
  const id = asId(message['id']);
  if (id === null) return 'malformed';
  const upstreamId = isPlaceholder(message) ? `${id}/placeholder` : id;
  const at = asTime(message['timestamp']) ?? now;
  return { channelType: 'chatapp', identity, upstreamId, at, ...content };
}

/**
 * Upstream may tell the content later, under the same id: the two are told as two messages, so that no receiver takes the second for a
 * repetition of the first. [upstream §4.2; operator-interface §4]
 */
function isPlaceholder(message: Json): boolean {
  return asText(message['type']) === 'unsupported';
}
