import type { Json } from '../../kernel/json.ts';

/** [spec: TemplateCreateRequest] */
export const templateCategories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export const parameterFormats = ['positional', 'named'] as const;
export type ParameterFormat = (typeof parameterFormats)[number];

/**
 * A template of a business account, as seen by one of our accounts: all its channels on that business account
 * share it. `category` and `status` are upstream's words, unknown ones included. Times are ms. [spec: Template]
 */
export interface Template {
  id: string;
  accountId: string;
  businessAccountId: string;
  /** Upstream's id: digits, too many for a JavaScript number. */
  upstreamId: string;
  name: string;
  language: string;
  category: string;
  status: string;
  /** Upstream's own shapes. [operator-interface §4] */
  components: readonly Json[];
  parameterFormat: ParameterFormat;
  /** Upstream's score; null if it has given none. */
  quality: string | null;
  rejectedReason: string | null;
  /** Time of the last sync that contained it. */
  syncedAt: number | null;
  /** Time of creation, or of the sync that found it. */
  createdAt: number;
}

/** Owner of templates: one of our accounts on one of upstream's business accounts. */
export interface TemplateOwner {
  accountId: string;
  businessAccountId: string;
}

/** Fields of a template that define its variables. */
export type TemplateForm = Pick<Template, 'category' | 'components' | 'parameterFormat'>;

/** [spec: Template status] Only these can be edited. */
const editable: ReadonlySet<string> = new Set(['APPROVED', 'REJECTED', 'PAUSED']);

export function isEditable({ status }: Pick<Template, 'status'>): boolean {
  return editable.has(status);
}

/** [spec: Template status] Only `APPROVED` templates can be sent. */
export function isSendable({ status }: Pick<Template, 'status'>): boolean {
  return status === 'APPROVED';
}

/** [spec: TemplateUpdateRequest] The category of an approved template cannot change. */
export function canChangeCategory({ status }: Pick<Template, 'status'>): boolean {
  return status === 'REJECTED' || status === 'PAUSED';
}

/** A template that upstream is deleting or has deleted counts as gone. [upstream §6.3] */
export function isGone(status: string): boolean {
  return status === 'DELETED' || status === 'PENDING_DELETION';
}

export const componentTypes = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'] as const;
export type ComponentType = (typeof componentTypes)[number];

/** [spec: TemplateComponentInput] The last two fields are upstream's, for authentication templates. [upstream §6.2] */
export interface ComponentInput {
  type: ComponentType;
  format?: string | null;
  text?: string | null;
  example?: Json | null;
  buttons?: readonly Json[] | null;
  add_security_recommendation?: boolean | null;
  code_expiration_minutes?: number | null;
}
