import type { Json } from '../../kernel/json.ts';

/** [spec: TemplateCreateRequest] */
export const templateCategories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export const parameterFormats = ['positional', 'named'] as const;
export type ParameterFormat = (typeof parameterFormats)[number];

/**
 * A template of a business account, as one of our accounts sees it: all channels the account has on that business account
 * share it. `category` and `status` are upstream's words, also ones we have never heard. Times are ms. [spec: Template]
 */
export interface Template {
  id: string;
  accountId: string;
  businessAccountId: string;
  /** Upstream's id: digits, more than a double can hold. */
  upstreamId: string;
  name: string;
  language: string;
  category: string;
  status: string;
  /** Upstream's own shapes. [operator-interface §4] */
  components: readonly Json[];
  parameterFormat: ParameterFormat;
  /** Upstream's score, where it has given one. */
  quality: string | null;
  rejectedReason: string | null;
  /** When upstream last told all of it. */
  syncedAt: number | null;
  /** When we first knew it. */
  createdAt: number;
}

/** One of our accounts on one business account of upstream: what a template belongs to. */
export interface TemplateOwner {
  accountId: string;
  businessAccountId: string;
}

/** What checking variables and showing them needs of a template. */
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

/** What upstream is deleting or has deleted is gone for us. [upstream §6.3] */
export function isGone(status: string): boolean {
  return status === 'DELETED' || status === 'PENDING_DELETION';
}
