/** The app registered upstream: its own webhook subscriptions. Upstream's names of fields are passed on for operators to read. */
import type { ChannelType } from '../../domain/vocabulary.ts';

/** Subscription of the app for one kind of channel. */
export interface AppWebhooks {
  channelType: ChannelType;
  /** Upstream's name of it, for operators. */
  object: string;
  /** null: the app is not subscribed. */
  callbackUrl: string | null;
  /** False: upstream has switched the subscription off. */
  isActive: boolean;
  fields: readonly string[];
  /** Fields that it lacks. `optional`: nothing that the contract promises is lost without them. */
  missing: { required: readonly string[]; optional: readonly string[] };
}

export interface UpstreamApp {
  /** The address that upstream must post to. */
  readonly callbackUrl: string;
  /** Subscriptions of every kind. Throws Fault `upstream_failed`. */
  webhooks(): Promise<AppWebhooks[]>;
  /**
   * Subscribes the app with our callback to what it has and what it lacks; upstream calls the callback meanwhile. Fields that upstream does
   * not know are left out. Throws Fault `upstream_failed`; then nothing has changed.
   */
  subscribe(known: AppWebhooks): Promise<{ leftOut: readonly string[] }>;
}
