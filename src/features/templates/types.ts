/** Templates of a chatapp channel's business account. */
import type {
  ComponentInput,
  ParameterFormat,
  Template,
  TemplateCategory,
} from '../../rules/templates/template.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';

export interface TemplateQuery {
  /** Syncs before answering. `first`: only if no sync ever succeeded and none failed within half a minute. */
  sync: boolean | 'first';
  /** Only templates with this status. */
  status: string | null;
  /** Only those of this name, in every language, on one page; null: all. */
  name?: string | null;
  page: PageRequest;
}

export interface TemplateList {
  page: Page<Template>;
  /** Whether this call has synced. */
  synced: boolean;
  /** Time of the last sync (ms). */
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
