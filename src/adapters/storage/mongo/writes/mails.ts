import type { MailLine } from '../../../../../actors/channel/ports/writes.ts';
import { maxMailLines } from '../../../../domain/mails/letter.ts';
import { newToken } from '../commands.ts';
import type { Update } from '../commands.ts';

/**
 * The line's token makes a repeated write find it there: no match, a duplicate key on the way in, and that is that. One that is left
 * out has no token on record: repeated after a lost reply it is counted twice.
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
