import { timeText } from './ids.ts';
import type { Line } from './lines.ts';
import type { Page, Photo } from './model.ts';
import type { World } from './world.ts';

/** The conversation of a page or photoapp account with one person, newest line first. */
export type Thread = {
  readonly channel: Page | Photo;
  readonly personId: string;
  readonly lines: readonly Line[];
};

const prefixes = { page: 't_', photo: 'aWdfZAG06' } as const;

export function conversationIdOf({ channel, personId }: Thread): string {
  return prefixes[channel.type] + Buffer.from(`${channel.id}|${personId}`, 'latin1').toString('base64url');
}

/** The channel and person of a conversation id; undefined when the id is not a conversation's. */
export function pairOf(id: string): { channelId: string; personId: string } | undefined {
  const prefix = Object.values(prefixes).find((start) => id.startsWith(start));
  if (prefix === undefined) return undefined;
  const text = Buffer.from(id.slice(prefix.length), 'base64url').toString('latin1');
  const match = /^(\d+)\|(\d+)$/.exec(text);
  return match ? { channelId: match[1] ?? '', personId: match[2] ?? '' } : undefined;
}

/** A person or the business as conversations show them; on photoapp by user name. */
function named(world: World, channel: Page | Photo, id: string): Record<string, unknown> {
  const node = world.nodes.get(id);
  const known = node?.type === 'person' || node?.type === 'photo' ? node : undefined;
  if (channel.type === 'photo') return { username: known?.username ?? `guest.${id.slice(-4)}`, id };
  const name = node?.type === 'page' ? node.name : (known?.name ?? `Guest ${id.slice(-4)}`);
  return { name, email: `${id}@facebook.com`, id };
}

/** Every field of a conversation except its messages. */
export function shownThread(world: World, thread: Thread): Record<string, unknown> {
  const { channel, personId, lines } = thread;
  const both = { data: [named(world, channel, personId), named(world, channel, channel.id)] };
  return {
    id: conversationIdOf(thread),
    link: `/${channel.id}/inbox/${personId}/?section=messages`,
    updated_time: timeText(lines[0]?.at ?? 0),
    participants: both,
    senders: both,
    snippet: lines[0]?.text ?? '',
    message_count: lines.length,
    unread_count: unansweredIn(lines),
    can_reply: true,
    scoped_thread_key: conversationIdOf(thread),
    name: channel.type === 'photo' ? personId : undefined,
  };
}

function unansweredIn(lines: readonly Line[]): number {
  const answer = lines.findIndex(({ who }) => who === 'business');
  return answer < 0 ? lines.length : answer;
}

/** Every field of a message. */
export function shownMessage(
  world: World,
  { channel, personId }: Thread,
  line: Line,
): Record<string, unknown> {
  const isPerson = line.who === 'person';
  const [from, to] = isPerson ? [personId, channel.id] : [channel.id, personId];
  return {
    id: line.id,
    created_time: timeText(line.at),
    from: named(world, channel, from),
    to: { data: [named(world, channel, to)] },
    message: line.text,
  };
}
