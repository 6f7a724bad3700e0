import type { MailLine } from '../../../../../actors/channel/ports/writes.ts';
import { maxMailLines } from '../../../../domain/mails/letter.ts';
import { newToken } from '../commands.ts';
import type { Update } from '../commands.ts';

/**
 * A repeated write finds its line's token: its filter matches nothing, its upsert meets a duplicate key, and it counts as done. A line that
 * was left out leaves no token, so a repetition after a lost reply counts it twice.
 */
export function mailLine({ id, line, ...mail }: MailLine): Update {
  const token = newToken();
  return {
    id,
    q: { _id: id, 'lines.token': { $ne: token } },
    u: {
      $push: { lines: { $each: [{ token, line }], $slice: maxMailLines } },
      $inc: { told: 1 },
      $setOnInsert: { ...mail, unsent: true },
    },
    upsert: true,
    whenTaken: 'done',
  };
}
