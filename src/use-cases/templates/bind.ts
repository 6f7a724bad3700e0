import type { UseCaseDeps } from '../deps.ts';
import { createTemplate } from './create.ts';
import { listTemplates } from './list.ts';
import { readTemplate } from './read.ts';
import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';
import type { TemplateUseCases } from './use-cases.ts';

export function bindTemplates(deps: UseCaseDeps): TemplateUseCases {
  return {
    listTemplates: (caller, channelId, query) => listTemplates(deps, caller, channelId, query),
    createTemplate: (caller, channelId, draft) => createTemplate(deps, caller, channelId, draft),
    readTemplate: (caller, channelId, templateId) => readTemplate(deps, caller, channelId, templateId),
    updateTemplate: (caller, channelId, templateId, edit) =>
      updateTemplate(deps, caller, channelId, templateId, edit),
    deleteTemplate: (caller, channelId, templateId, options) =>
      deleteTemplate(deps, caller, channelId, templateId, options),
  };
}
