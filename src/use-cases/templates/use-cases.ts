import { kindOf } from '../../domain/channels/kinds.ts';
import type { Snapshot } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { templateSnapshot } from '../audit/snapshots.ts';
import { requestScoped } from '../deps.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { createTemplate } from './create.ts';
import { toTemplateOwner } from './find.ts';
import { listTemplates, readTemplate } from './list.ts';
import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';

/** Each throws 404 `not_found`, 400 `wrong_channel_type`; those that call upstream also 400 `channel_inactive`, 402 `licence_inactive`. */
export const templateUseCases = {
  ...unrecorded('reads', { listTemplates: requestScoped(listTemplates), readTemplate }),
  createTemplate: audited(requestScoped(createTemplate), {
    action: 'template.created',
    after: (_deps, template) => templateSnapshot(template),
  }),
  updateTemplate: audited(requestScoped(updateTemplate), {
    action: 'template.updated',
    before: (deps, caller, channelId, id) => templateBefore(deps, caller, channelId, id),
    after: (_deps, template) => templateSnapshot(template),
  }),
  deleteTemplate: audited(requestScoped(deleteTemplate), {
    action: 'template.deleted',
    before: (deps, caller, channelId, id) => templateBefore(deps, caller, channelId, id),
  }),
};

async function templateBefore(
  { stores }: UseCaseDeps,
  { accountId }: Caller,
  channelId: string,
  templateId: string,
): Promise<Snapshot | null> {
  const channel = await stores.channels.inAccount(channelId, accountId);
  if (channel === null || !kindOf(channel.channelType).canSend.has('template')) return null;
  const template = await stores.templates.byId(toTemplateOwner(channel), templateId);
  return template === null ? null : templateSnapshot(template);
}
