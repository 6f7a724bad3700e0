import type { UseCaseDeps } from '../deps.ts';
import { onBehalfOf } from '../on-behalf.ts';
import { createTemplate } from './create.ts';
import { listTemplates } from './list.ts';
import { readTemplate } from './read.ts';
import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';
import type { TemplateUseCases } from './use-cases.ts';

export function bindTemplates(deps: UseCaseDeps): TemplateUseCases {
  return {
    listTemplates: (caller, channelId, query) =>
      listTemplates(onBehalfOf(deps, caller.requestId), caller, channelId, query),
    createTemplate: (caller, channelId, draft) =>
      createTemplate(onBehalfOf(deps, caller.requestId), caller, channelId, draft),
    readTemplate: (caller, channelId, templateId) => readTemplate(deps, caller, channelId, templateId),
    updateTemplate: (caller, channelId, templateId, edit) =>
      updateTemplate(onBehalfOf(deps, caller.requestId), caller, channelId, templateId, edit),
    deleteTemplate: (caller, channelId, templateId, options) =>
      deleteTemplate(onBehalfOf(deps, caller.requestId), caller, channelId, templateId, options),
  };
}
