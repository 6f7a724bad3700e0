/** Mails with their lines, which a file stores as rows. */
import { maxMailLines, withRest } from '../../../rules/mails/letter.ts';
import type { StoredMail } from '../../entities/mails.ts';
import type { WholeMails } from '../../whole-mails.ts';
import { sweep } from '../../sweep.ts';
import type { Reader } from '../reader.ts';
import { asking, makeReads } from '../records.ts';
import type { Value } from '../sqlite.ts';
import { mails } from '../tables.ts';
import type { WriterThread } from '../writer-thread.ts';

/** Mails per slice; few, because each is read with its lines. */
const mailsPerSlice = 40;
/** Older versions did not count the lines of a mail: at most these are read, which leaves room for the opening. */
const maxRead = maxMailLines + 20;

const lines = `
  (select json_group_array(line order by position) from (
    select line, position from mail_lines where mail_id = mails.id order by position limit ${maxRead}))`;

export function wholeMails(reader: Reader, writer: WriterThread): WholeMails {
  const withLines = { list: `${lines}, ${mails.list}`, ofValues: toMail };
  return {
    reads: makeReads(mails, withLines, asking(reader), mailsPerSlice),
    add: (mail) => writer.call('addWholeMail', mail),
    dropOlder: (before, butOfKind, stopping) =>
      sweep(() => writer.call('dropMailSlice', before, butOfKind), stopping),
  };
}

function toMail(row: readonly Value[]): StoredMail {
  const { linesLeftOut, ...mail } = mails.ofValues(row, 1);
  return { ...mail, lines: withRest(JSON.parse(String(row[0])), linesLeftOut) };
}
