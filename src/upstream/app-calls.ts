/** The app registered upstream: its own webhook subscriptions. Upstream's names of fields are passed on for operators to read. */
import type { NewProblem } from '../rules/channels/upstream-problems.ts';
import type { Channel } from '../rules/channels/channel.ts';
import type { ChannelType } from '../rules/vocabulary.ts';

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
  /** Versions of the fields' payloads: the app's own setting, not the version that calls ask for. Empty: upstream does not say. */
  versions: readonly string[];
  /** Fields that it lacks. `optional`: nothing that the contract promises is lost without them. */
  missing: { required: readonly string[]; optional: readonly string[] };
}

/** What upstream says to the app's id and secret. */
export type AppCredentials =
  /** `version`: of the API that answered; null: it did not say. */
  { isAccepted: true; version: string | null } | { isAccepted: false; why: string };

/** `granular`: with the number of assets to which each is limited; 0: to none. */
export interface TokenScopes {
  plain: readonly string[];
  granular: readonly { name: string; targets: number }[];
}

/** What upstream says of one channel. */
export interface ChannelAtUpstream {
  /** Why the token is refused; null: it is valid. */
  tokenRefused: string | null;
  /** When the token ends, ms; null: never, or upstream does not say. */
  tokenEndsAt: number | null;
  /** The token's permissions in upstream's order; null: upstream does not say. */
  scopes: TokenScopes | null;
  /** Permissions that the token lacks; null: upstream does not say. */
  missingPermissions: readonly string[] | null;
  /** Whether page or account is subscribed to our app; null: not known. */
  isSubscribed: boolean | null;
  /** What else upstream shows against it: another callback, blocks. */
  problems: readonly NewProblem[];
}

/** How people are sent to upstream's dialog. No secret. */
export interface DialogSummary {
  version: string;
  hasSignupConfig: boolean;
  signupVersion: string | null;
  hasPagesConfig: boolean;
}

export interface UpstreamApp {
  readonly appId: string;
  readonly dialog: DialogSummary;
  /** Asks upstream for a token of the app, which needs id and secret. Throws Fault `upstream_failed` without an answer. */
  credentials(): Promise<AppCredentials>;
  /** Throws Fault `upstream_failed` without an answer. */
  channel(channel: Channel): Promise<ChannelAtUpstream>;
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
