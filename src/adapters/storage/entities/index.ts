/** All entities, by name. */
import { accountWords } from './account-words.ts';
import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { channelHealth } from './channel-health.ts';
import { channels } from './channels.ts';
import { deliveries } from './deliveries.ts';
import { deliveryHours } from './delivery-hours.ts';
import type { Entity } from './entity.ts';
import { idempotency } from './idempotency.ts';
import { mailLines, mails } from './mails.ts';
import { mediaFiles } from './media-files.ts';
import { messageUpstreamIds, messages } from './messages.ts';
import { owners } from './owners.ts';
import { strandedFacts } from './stranded-facts.ts';
import { passes } from './passes.ts';
import { people } from './people.ts';
import { quarantine } from './quarantine.ts';
import { redirects } from './redirects.ts';
import { requestLog } from './request-log.ts';
import { replays } from './replays.ts';
import { setupSessions } from './setup-sessions.ts';
import { subscriptions } from './subscriptions.ts';
import { templateSyncs } from './template-syncs.ts';
import { templateUses } from './template-uses.ts';
import { templates } from './templates.ts';
import { transcripts } from './transcripts.ts';
import { unmatchedFacts } from './unmatched-facts.ts';

export const entities = {
  owners,
  templates,
  templateSyncs,
  templateUses,
  accounts,
  accountWords,
  apiKeys,
  redirects,
  people,
  passes,
  subscriptions,
  channels,
  setupSessions,
  idempotency,
  messages,
  messageUpstreamIds,
  unmatchedFacts,
  deliveries,
  mails,
  mailLines,
  mediaFiles,
  strandedFacts,
  quarantine,
  requestLog,
  channelHealth,
  audit,
  replays,
  transcripts,
  deliveryHours,
};

type Entities = typeof entities;
export type EntityName = keyof Entities;
export type ItemOf<N extends EntityName> = Entities[N] extends Entity<infer T extends object> ? T : never;
