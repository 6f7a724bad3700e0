/** Templates of the business account that a chatapp channel hangs on. */
import type { ComponentInput } from '../../domain/templates/component-input.ts';
import type { ParameterFormat, Template, TemplateCategory } from '../../domain/templates/template.ts';
import type { Page, PageRequest } from '../ports/paging.ts';

export interface TemplateQuery {
  /** Asks upstream before answering. `first`: if it has never told, and did not refuse within half a minute. */
  sync: boolean | 'first';
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
