/** The deliveries of an account as a file, without what they contained. */
import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { toIso } from '../../../kernel/clock.ts';
import { csvLine } from '../../../pages/list/csv.ts';
import { cutLine, exportList } from '../../../pages/list/export.tsx';
import type { ExportFormat } from '../../../pages/list/export.tsx';
import { readFilter } from '../../../pages/list/filter.tsx';
import { auditExport } from '../../audit/index.ts';
import { channelField } from '../../channels/index.ts';
import { listAccountDeliveries } from '../list-all.ts';
import type { ShownDelivery } from '../types.ts';
import { deliveriesPath, deliveryFilter, readQuery } from './asked.ts';

const format: ExportFormat<ShownDelivery> = {
  extension: 'csv',
  head: 'time,event,person,state,attempts,last_result,channel_id,message_id,webhook_id,request_id,endpoint_id\n',
  line: (each) =>
    csvLine([
      toIso(each.createdAt),
      each.event,
      each.person,
      each.state,
      each.attempts,
      each.lastResult,
      each.channelId,
      each.messageId,
      each.id,
      each.requestId,
      each.endpointId,
    ]),
};

async function download(context: SignedInContext): Promise<void> {
  const { world, caller } = context;
  const field = await channelField(context);
  const filter = await deliveryFilter(context, field);
  const { asked } = readQuery(filter, context);
  await exportList(context, caller.accountId, {
    name: 'deliveries',
    format,
    began: () =>
      auditExport(world, caller.by, {
        accountId: caller.accountId,
        list: 'deliveries',
        asked: readFilter(filter, context.query),
      }),
    read:
      field.choices === null
        ? (cursor, limit) => listAccountDeliveries(world, caller, asked, { limit, cursor, isBack: false })
        : null,
    cutWith: cutLine,
  });
}

export const deliveriesExport = signedInPage({
  get: `${deliveriesPath}/export`,
  name: 'exportDeliveries',
  open: download,
});
