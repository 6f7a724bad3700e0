/** Templates: what is stored of them, how often upstream lets them be changed, and upstream's calls. Times in ms. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { Use, Window } from '../../domain/templates/limits.ts';
import type { ParameterFormat, Template, TemplateOwner } from '../../domain/templates/template.ts';
import type { Json } from '../../kernel/json.ts';
import type { Page, PageRequest } from './paging.ts';

export type { TemplateOwner };

/** A template as upstream tells it. */
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

/** What a webhook says of one template; `at` is upstream's time. */
export interface TemplateChange {
  businessAccountId: string;
  upstreamId: string;
  at: number;
  change: { status: string; reason: string | null } | { category: string } | { quality: string };
}

/** When an owner's templates were last read from upstream, and when they are to be read next. */
export interface TemplateSync extends TemplateOwner {
  /** null: never. */
  syncedAt: number | null;
  /** null: nobody asks for it. */
  dueAt: number | null;
  /** Attempts since the last that ended well. */
  failures: number;
}

/** What an upstream list says that we did not know. */
interface TemplateNews {
  changed: readonly Template[];
  goneIds: readonly string[];
}

export interface TemplateStore {
  /** In order of creation. `status`: only these. */
  list(owner: TemplateOwner, status: string | null, page: PageRequest): Promise<Page<Template>>;
  byId(owner: TemplateOwner, templateId: string): Promise<Template | null>;
  /** Every language of the name. */
  byName(owner: TemplateOwner, name: string): Promise<Template[]>;
  /** One that upstream has taken from us; it replaces what a sync has meanwhile found under its id. */
  put(template: Template, now: number): Promise<void>;
  /** What an edit changed; absent ones stay absent. */
  edited(
    owner: TemplateOwner,
    templateId: string,
    change: Pick<Template, 'status' | 'category' | 'components'>,
    now: number,
  ): Promise<void>;
  /** They stay away, even from a sync that began before. */
  remove(owner: TemplateOwner, templateIds: readonly string[], now: number): Promise<void>;
  /**
   * What a list said that upstream was asked for at `startedAt`. What has changed here since then stays as it is, and the news of a
   * list that is older than the last are none. The next sync is due at `dueAt`, or when one was asked for meanwhile.
   */
  synced(owner: TemplateOwner, news: TemplateNews, startedAt: number, dueAt: number): Promise<void>;
  /**
   * Applies it for every account on the business account; a status only when none newer by upstream's time was applied.
   * Answers the accounts that know the template, or knew it before they deleted it.
   */
  apply(change: TemplateChange, now: number): Promise<string[]>;
  sync(owner: TemplateOwner): Promise<TemplateSync | null>;
  /** Asks for a sync at `at`, now: it stays due unless a list that was asked for later is stored. */
  askForSync(owner: TemplateOwner, at: number): Promise<void>;
  /** One attempt failed. `dueAt` null: not asked for any more. */
  syncFailed(owner: TemplateOwner, dueAt: number | null): Promise<void>;
  /** The longest due first. */
  dueSyncs(now: number, limit: number): Promise<TemplateSync[]>;
  /** Forgets templates that were removed before. */
  dropRemoved(before: number): Promise<number>;
}

/** Counters over all channels and nodes. */
export interface TemplateLimitStore {
  /** Counts the use unless a window is full, one of many at a time. null: counted; else when it could be. */
  take(key: string, use: Use, windows: readonly Window[]): Promise<number | null>;
  /** The use was none after all. */
  giveBack(key: string, useId: string): Promise<void>;
  /** When the key was last used. */
  lastUse(key: string): Promise<number | null>;
  dropOlder(than: number): Promise<number>;
}

export interface NewTemplate {
  name: string;
  language: string;
  category: string;
  parameterFormat: ParameterFormat;
  components: readonly Json[];
}

/**
 * Calls for the business account of a chatapp channel, with its token. Each throws Fault `upstream_refused` (upstream said no, and will
 * again), `upstream_busy` (it limits such calls), or `upstream_failed` (it failed, or nobody knows).
 */
export interface TemplateUpstream {
  /** Page by page to the end. */
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
  /** `upstreamId` null: every language of the name. One that upstream does not have counts as removed. */
  remove(channel: Channel, name: string, upstreamId: string | null): Promise<void>;
}
