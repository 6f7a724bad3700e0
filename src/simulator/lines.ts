import type { Channel } from './model.ts';
import type { World } from './world.ts';

/**
 * One line of a conversation, from either side. `id`: upstream's id of a message that one may react to, answer, edit or unsend; else null.
 */
export type Line = {
  readonly at: number;
  readonly who: 'person' | 'business';
  readonly text: string;
  readonly id: string | null;
};

/** The lines of a channel by person, oldest first: from people, from the business outside the service, and from sends. */
export function linesOf(world: World, channel: Channel): Map<string, Line[]> {
  const lines = new Map<string, Line[]>();
  const add = (personId: string, line: Line): void => {
    const known = lines.get(personId);
    if (known) known.push(line);
    else lines.set(personId, [line]);
  };
  for (const [key, { said }] of world.conversations) {
    const [channelId, personId = ''] = key.split('|');
    if (channelId === channel.id) for (const line of said) add(personId, line);
  }
  for (const { at, text, type, id, recipient } of world.sends.list(
    (sent) => sent.channel === channel && sent.outcome === 'accepted',
  ))
    add(recipient, { at, who: 'business', text: text ?? `[${type}]`, id });
  for (const [personId, said] of lines)
    lines.set(
      personId,
      said.toSorted((one, other) => one.at - other.at),
    );
  return lines;
}
