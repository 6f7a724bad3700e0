/** The messages of an account as a file, without their texts. */
import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { toIso } from '../../../kernel/clock.ts';
import { csvLine } from '../../../pages/list/csv.ts';
import { cutLine, exportList } from '../../../pages/list/export.tsx';
import type { ExportFormat } from '../../../pages/list/export.tsx';
import { readFilter, spanOf } from '../../../pages/list/filter.tsx';
import { messagesPath } from '../../../pages/paths.ts';
import { auditExport } from '../../audit/index.ts';
import { channelField } from '../../channels/index.ts';
import { listMessages } from '../list.ts';
import type { MessageOnChannel } from '../types.ts';
import { messageFilter } from './filter.ts';

const format: ExportFormat<MessageOnChannel> = {
  extension: 'csv',
  head: 'time,person,direction,kind,status,channel_type,channel_id,message_id\n',
  line: ({ createdAt, person, direction, type, status, channelType, channelId, messageId }) =>
    csvLine([toIso(createdAt), person, direction, type, status, channelType, channelId, messageId]),
};

async function download(context: SignedInContext): Promise<void> {
  const { world, caller, query } = context;
  const field = await channelField(context);
  const filtered = readFilter(messageFilter(field), query);
  const { person, state: status, from, to } = filtered;
  const channelId = field.channel?.id ?? null;
  const asked = { person, channelId, direction: null, status, ...spanOf(context, { from, to }) };
  await exportList(context, caller.accountId, {
    name: 'messages',
    format,
    began: () =>
      auditExport(world, caller.by, { accountId: caller.accountId, list: 'messages', asked: filtered }),
    read:
      field.choices === null
        ? (cursor, limit) => listMessages(world, caller, asked, { limit, cursor })
        : null,
    cutWith: cutLine,
  });
}

export const messagesExport = signedInPage({
  get: `${messagesPath}/export`,
  name: 'exportMessages',
  open: download,
});
