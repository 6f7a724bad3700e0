/** Templates of the business account that a chatapp channel hangs on. */
import type { ComponentInput } from '../../domain/templates/component-input.ts';
import type { ParameterFormat, Template, TemplateCategory } from '../../domain/templates/template.ts';
import type { Caller } from '../caller.ts';
import type { Page, PageRequest } from '../ports/paging.ts';

export interface TemplateQuery {
  /** Asks upstream before answering. */
  sync: boolean;
  /** Only templates with this status. */
  status: string | null;
  page: PageRequest;
}

export interface TemplateList {
  page: Page<Template>;
  /** Whether this very call has read all of it from upstream. */
  synced: boolean;
  /** When all of it was last read. Ms. */
  syncedAt: number | null;
}

export interface TemplateDraft {
  name: string;
  language: string;
  category: TemplateCategory;
  parameterFormat: ParameterFormat;
  components: readonly ComponentInput[];
}

export interface TemplateEdit {
  components: readonly ComponentInput[];
  category: TemplateCategory | null;
}

/** Each throws 404 `not_found` and 400 `wrong_channel_type`; what calls upstream also 400 `channel_inactive` and 402 `licence_inactive`. */
export interface TemplateUseCases {
  listTemplates(caller: Caller, channelId: string, query: TemplateQuery): Promise<TemplateList>;
  createTemplate(caller: Caller, channelId: string, draft: TemplateDraft): Promise<Template>;
  readTemplate(caller: Caller, channelId: string, templateId: string): Promise<Template>;
  updateTemplate(
    caller: Caller,
    channelId: string,
    templateId: string,
    edit: TemplateEdit,
  ): Promise<Template>;
  deleteTemplate(
    caller: Caller,
    channelId: string,
    templateId: string,
    options: { allLanguages: boolean },
  ): Promise<void>;
}
