/** Templates at upstream: the calls about them, and what they answer. Times in ms. */
import type { Channel } from '../rules/channels/channel.ts';
import type { ParameterFormat, Template } from '../rules/templates/template.ts';
import type { Json } from '../kernel/json.ts';

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
