/** Templates: their store, counters of upstream's limits, and upstream's calls. Times in ms. */
import type { Channel } from '../rules/channels/channel.ts';
import type { Use, Window } from '../features/templates/rules/limits.ts';
import type { ParameterFormat, Template, TemplateOwner } from '../rules/templates/template.ts';
import type { Json } from '../kernel/json.ts';
import type { Page, PageRequest } from '../kernel/paging.ts';

/** A template as upstream reports it. */
export type UpstreamTemplate = Pick<
  Template,
  | 'upstreamId'
  | 'name'
  | 'language'
  | 'category'
  | 'status'
  | 'components'
  | 'parameterFormat'
  | 'quality'
  | 'rejectedReason'
>;

/** A change of one template, reported by a webhook; `at` is upstream's time. */
export interface TemplateChange {
  businessAccountId: string;
  upstreamId: string;
  at: number;
  change: { status: string; reason: string | null } | { category: string } | { quality: string };
}

/** Times of the last and the next sync of an owner's templates from upstream. */
export interface TemplateSync extends TemplateOwner {
  /** null: never. */
  syncedAt: number | null;
  /** null: no sync is scheduled. */
  dueAt: number | null;
  /** Failed attempts since the last success. */
  failures: number;
}

/** Differences between upstream's list and the stored templates. */
interface TemplateNews {
  changed: readonly Template[];
  goneIds: readonly string[];
}

export interface TemplateStore {
  /** In order of creation; `status` null: every status. */
  list(owner: TemplateOwner, status: string | null, page: PageRequest): Promise<Page<Template>>;
  byId(owner: TemplateOwner, templateId: string): Promise<Template | null>;
  /** Every language of the name. */
  byName(owner: TemplateOwner, name: string): Promise<Template[]>;
  /** Stores a template that upstream accepted; replaces one that a sync found under its id meanwhile. */
  put(template: Template, now: number): Promise<void>;
  /**
   * Stores the fields that an edit changed; no earlier status undoes them. The template before and after this very write; null, and nothing
   * is done, if it is absent.
   */
  edited(
    owner: TemplateOwner,
    templateId: string,
    change: Pick<Template, 'status' | 'category' | 'components'>,
    now: number,
  ): Promise<{ before: Template; after: Template } | null>;
  /** Removes the templates; a sync that began before does not bring them back. Returns those that no other call had removed. */
  remove(owner: TemplateOwner, templateIds: readonly string[], now: number): Promise<Template[]>;
  /**
   * Stores the news of a list that was requested from upstream at `startedAt`. Templates changed here since then are kept, and a list
   * older than the last one is ignored. The next sync is due at `dueAt`, or earlier if `askForSync` was called meanwhile.
   */
  synced(owner: TemplateOwner, news: TemplateNews, startedAt: number, dueAt: number): Promise<void>;
  /**
   * Applies the change for every account on the business account; a status only if it is not older, by upstream's time, than the last
   * status and edit. Returns the accounts that have the template, or had it before they deleted it; for a status, only those whose
   * template was not changed after that time.
   */
  apply(change: TemplateChange, now: number): Promise<string[]>;
  sync(owner: TemplateOwner): Promise<TemplateSync | null>;
  /** Schedules a sync at `at`, the present time: it stays due until a list that was requested later is stored. */
  askForSync(owner: TemplateOwner, at: number): Promise<void>;
  /** Counts a failed attempt. `dueAt` null: do not retry. */
  syncFailed(owner: TemplateOwner, dueAt: number | null): Promise<void>;
  /** Longest due first. */
  dueSyncs(now: number, limit: number): Promise<TemplateSync[]>;
  /** Forgets templates removed before this. Returns their number. */
  dropRemoved(before: number, stopping?: AbortSignal): Promise<number>;
}

/** Usage counters, shared by all channels and nodes. */
export interface TemplateLimitStore {
  /** Counts the use unless a window is full; concurrent calls are serialised. null: counted; else the time (ms) when it can be. */
  take(key: string, use: Use, windows: readonly Window[]): Promise<number | null>;
  /** Takes a counted use back. */
  giveBack(key: string, useId: string): Promise<void>;
  /** When the key was last used. */
  lastUse(key: string): Promise<number | null>;
  dropOlder(than: number, stopping?: AbortSignal): Promise<number>;
}

export interface NewTemplate {
  name: string;
  language: string;
  category: string;
  parameterFormat: ParameterFormat;
  components: readonly Json[];
}

/**
 * Calls for the business account of a chatapp channel, with its token. Each throws Fault `upstream_refused` (final refusal),
 * `upstream_busy` (upstream limits such calls), or `upstream_failed` (failure, or unknown outcome).
 */
export interface TemplateUpstream {
  /** Reads all pages. */
  list(channel: Channel): Promise<UpstreamTemplate[]>;
  create(
    channel: Channel,
    template: NewTemplate,
  ): Promise<Pick<Template, 'upstreamId' | 'status' | 'category'>>;
  edit(
    channel: Channel,
    upstreamId: string,
    change: { components: readonly Json[]; category: string | null },
  ): Promise<void>;
  /** `upstreamId` null: every language of the name. A template that upstream does not have counts as removed. */
  remove(channel: Channel, name: string, upstreamId: string | null): Promise<void>;
}
