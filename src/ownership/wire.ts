/** The frames of a link: frames of one tick are one WebSocket message, a JSON array. */
import type { ChannelAsk, ChannelTell } from '../../actors/channel/asks.ts';
import { asRecord, findBeyond, stringOrNull } from '../kernel/json.ts';
import type { Json } from '../kernel/json.ts';
import { featuresOf, isContentFeature } from '../rules/messages/content-features.ts';

// oxlint-disable typescript/no-unsafe-type-assertion -- a peer that knows the secret wrote it: see parseFrames

export type Frame =
  | { f: 'ask'; id: number; channelId: string; ask: ChannelAsk }
  /**
   * `frees`: where its sender frees channels; an earlier build, which does not say so, in Redis. `isGiven`: the channel followed its sends, so
   * it is at home at the receiver.
   */
  | { f: 'tell'; channelId: string; tell: ChannelTell; frees: 'store' | 'redis'; isGiven?: true }
  | { f: 'reply'; id: number; reply: unknown }
  | { f: 'refusal'; id: number; refusal: Refusal }
  | { f: 'changed'; channelId: string | null; apiKeyId: string | null }
  /** The members have changed: ask Redis for them now. */
  | { f: 'look' }
  /** This node has subscribers of the live feed; it receives events through Redis, or needs them over its link. */
  | { f: 'listens'; way: 'redis' | 'links' }
  /** An event of the live feed: sealed, base64, with the Redis channel it is sealed for. */
  | { f: 'event'; channel: string; packet: string }
  /** This node is handing its channels over. */
  | { f: 'drains' }
  /** This node stops: it owns nothing and will not answer any more. */
  | { f: 'bye' }
  | { f: 'ping'; id: number }
  | { f: 'askNode'; id: number; ask: NodeAsk };

/** An ask for the node itself: its status (`NodeStatus`), or to hand its channels over. */
export type NodeAsk = 'status' | 'drain';

/** Why an ask got no reply. */
export type Refusal =
  /** A Fault of the registry, passed on to the client. */
  | { why: 'fault'; code: string; details: Record<string, unknown> }
  /** Not the owner; nothing was done. `owner`: the owner as this node believes, if known. */
  | { why: 'moved'; owner: string | null }
  /** The activation ended while it handled the ask: the store knows whether it acted. */
  | { why: 'lost' }
  /** The store or the lock service does not answer; nothing was done. */
  | { why: 'unavailable' }
  /** This node's lease is not valid any more; nothing was done. Another node may own the channel once the lease has ended. */
  | { why: 'suspended' };

/** An ask of a newer build: refused, the link stays open. [faults: 32] */
export interface UnknownAsk {
  f: 'unknownAsk';
  id: number;
}

/** A peer parses a message in one piece on its event loop: this much takes about a millisecond. */
export const aimedChars = 256 * 1024;
/**
 * The API bounds the depth of a template at 32, `src/upstream` that of a POST at 64; the rest is for the frame around them. Megabytes of
 * brackets take seconds to parse. [faults: 210]
 */
const deepest = 128;

const asks: Record<ChannelAsk['type'], true> = {
  send: true,
  'take-facts': true,
  reload: true,
  inspect: true,
  'retry-delivery': true,
  emit: true,
};
const tells: Record<ChannelTell['type'], true> = {
  'settings-changed': true,
  wake: true,
  replay: true,
};
const nodeAsks: Record<NodeAsk, true> = { status: true, drain: true };
const reasons: Record<Refusal['why'], true> = {
  fault: true,
  moved: true,
  lost: true,
  unavailable: true,
  suspended: true,
};

/**
 * Frames of one message; null: invalid, the link must be closed. Unknown names come from a newer build: unknown frames are skipped, unknown
 * asks become `unknownAsk`. The contents of a known ask are trusted: a peer with the cluster secret wrote them.
 */
export function parseFrames(text: string): (Frame | UnknownAsk)[] | null {
  // The usual messages are too small to take long.
  if (text.length > aimedChars && findBeyond(text, { deepest, maxValues: Infinity }) !== null) return null;
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(values)) return null;
  const frames: (Frame | UnknownAsk)[] = [];
  for (const value of values) {
    const fields = asRecord(value);
    if (fields === null || typeof fields['f'] !== 'string') return null;
    const frame = parseFrame(fields['f'], fields);
    if (frame === null) return null;
    if (frame !== 'unknown') frames.push(frame);
  }
  return frames;
}

function parseFrame(name: string, fields: Json): Frame | UnknownAsk | 'unknown' | null {
  const { id, channelId } = fields;
  switch (name) {
    case 'ask': {
      const ask = asRecord(fields['ask']);
      if (typeof id !== 'number' || typeof channelId !== 'string' || ask === null) return null;
      const known = isNamed(ask, 'type', asks) ? (ask as ChannelAsk) : readSend(ask);
      return known === null ? { f: 'unknownAsk', id } : { f: 'ask', id, channelId, ask: known };
    }
    case 'tell': {
      const tell = asRecord(fields['tell']);
      if (typeof channelId !== 'string' || tell === null) return null;
      if (!isNamed(tell, 'type', tells)) return 'unknown';
      const frees = fields['frees'] === 'store' ? 'store' : 'redis';
      const given = fields['isGiven'] === true ? { isGiven: true as const } : {};
      return { f: 'tell', channelId, tell: tell as ChannelTell, frees, ...given };
    }
    case 'reply':
      return typeof id === 'number' ? { f: 'reply', id, reply: fields['reply'] } : null;
    case 'refusal': {
      const refusal = asRecord(fields['refusal']);
      if (typeof id !== 'number' || refusal === null) return null;
      const known = isNamed(refusal, 'why', reasons) ? (refusal as Refusal) : ({ why: 'lost' } as const);
      return { f: 'refusal', id, refusal: known };
    }
    case 'changed':
      return { f: 'changed', channelId: stringOrNull(channelId), apiKeyId: stringOrNull(fields['apiKeyId']) };
    case 'listens':
      return { f: 'listens', way: fields['way'] === 'redis' ? 'redis' : 'links' };
    case 'event': {
      const { channel, packet } = fields;
      if (typeof channel !== 'string' || typeof packet !== 'string') return null;
      return { f: 'event', channel, packet };
    }
    case 'look':
    case 'drains':
    case 'bye':
      return { f: name };
    case 'ping':
      return typeof id === 'number' ? { f: 'ping', id } : null;
    case 'askNode': {
      if (typeof id !== 'number') return null;
      const known = isNamed(fields, 'ask', nodeAsks);
      return known ? { f: 'askNode', id, ask: fields['ask'] as NodeAsk } : { f: 'unknownAsk', id };
    }
    default:
      return 'unknown';
  }
}

const namedSend = 'send:';

/** An ask as a peer gets it: a send of what earlier builds do not know has a name of its own, so that they refuse it. [faults: 401] */
export function nameAsk(ask: ChannelAsk): ChannelAsk {
  if (ask.type !== 'send') return ask;
  const features = featuresOf(ask.content);
  return features.length === 0
    ? ask
    : ({ ...ask, type: namedSend + features.join('+') } as unknown as ChannelAsk);
}

/** null: no such ask, or a send of what a later build has added. */
function readSend(ask: Json): ChannelAsk | null {
  const type = stringOrNull(ask['type']) ?? '';
  const isKnown =
    type.startsWith(namedSend) && type.slice(namedSend.length).split('+').every(isContentFeature);
  return isKnown ? ({ ...ask, type: 'send' } as ChannelAsk) : null;
}

function isNamed(fields: Json, name: string, known: Record<string, true>): boolean {
  const value = fields[name];
  return typeof value === 'string' && Object.hasOwn(known, value);
}
