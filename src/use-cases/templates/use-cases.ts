import { underRequest } from '../bind.ts';
import { createTemplate } from './create.ts';
import { listTemplates } from './list.ts';
import { readTemplate } from './read.ts';
import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';

/** Each throws 404 `not_found` and 400 `wrong_channel_type`; what calls upstream also 400 `channel_inactive` and 402 `licence_inactive`. */
export const templateUseCases = {
  listTemplates: underRequest(listTemplates),
  createTemplate: underRequest(createTemplate),
  readTemplate,
  updateTemplate: underRequest(updateTemplate),
  deleteTemplate: underRequest(deleteTemplate),
};
