import type { Channel } from './model.ts';
import type { World } from './world.ts';

/** One line of a conversation, whoever said it. `id`: upstream's, of what one may react to, answer, edit or unsend. */
export type Line = {
  readonly at: number;
  readonly who: 'person' | 'business';
  readonly text: string;
  readonly id: string | null;
};

/** What was said on a channel, by person, oldest first: by people, by the business outside, and by sends. */
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
