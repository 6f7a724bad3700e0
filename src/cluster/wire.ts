/** What crosses a link: frames of one tick are one WebSocket message, a JSON array. */
import type { ChannelAsk, ChannelTell } from '../../actors/channel/messages.ts';

export type Frame =
  | { f: 'ask'; id: number; channelId: string; ask: ChannelAsk }
  | { f: 'tell'; channelId: string; tell: ChannelTell }
  | { f: 'reply'; id: number; reply: unknown }
  | { f: 'refusal'; id: number; refusal: Refusal }
  | { f: 'changed'; channelId: string | null; apiKeyId: string | null }
  | { f: 'look' }
  | { f: 'ping'; id: number };

/** Why an ask came back without a reply. */
export type Refusal =
  /** A Fault of the registry: passed on to the client as it is. */
  | { why: 'fault'; code: string; facts: Record<string, unknown> }
  /** Not the owner (any more), nothing was done; `owner` is who it believes owns the channel. */
  | { why: 'moved'; owner: string | null }
  /** The activation ended with the ask in its hands: the store knows whether it acted. */
  | { why: 'lost' }
  /** Can't own channels now (store or lock service out of reach): nothing was done. */
  | { why: 'unavailable' };

/** Frames of one message; null: not ours. */
export function parseFrames(text: string): Frame[] | null {
  try {
    const frames: unknown = JSON.parse(text);
    // Written by a peer that proved the cluster secret and runs the same build: the shape is taken on trust.
    return Array.isArray(frames) ? (frames as Frame[]) : null;
  } catch {
    return null;
  }
}
