import { requestScoped } from '../world.ts';
import { createTemplate } from './create.ts';
import { listTemplates, readTemplate } from './list.ts';
import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';

/** Each throws 404 `not_found`, 400 `wrong_channel_type`; those that call upstream also 400 `channel_inactive`, 402 `licence_inactive`. */
export const templateUseCases = {
  listTemplates: requestScoped(listTemplates),
  readTemplate,
  createTemplate: requestScoped(createTemplate),
  updateTemplate: requestScoped(updateTemplate),
  deleteTemplate: requestScoped(deleteTemplate),
};
