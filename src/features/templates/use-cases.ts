import { audited, unrecorded } from '../audit/audited.ts';
import { templateSnapshot } from '../audit/snapshots.ts';
import { requestScoped } from '../world.ts';
import { createTemplate } from './create.ts';
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
    written: ({ changed }) => ({
      before: changed && templateSnapshot(changed.before),
      after: changed && templateSnapshot(changed.after),
    }),
  }),
  deleteTemplate: audited(requestScoped(deleteTemplate), {
    action: 'template.deleted',
    written: ({ template }) => ({ before: templateSnapshot(template), after: null }),
    isDone: ({ isRemoved }) => isRemoved,
  }),
};
