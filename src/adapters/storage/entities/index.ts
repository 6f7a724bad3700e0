/** All entities, by name. */
import { appNotes } from './app-notes.ts';
import { accounts, accountWords, apiKeys, redirects } from './accounts.ts';
import { audit } from './audit.ts';
import { channels, owners, channelHealth } from './channels.ts';
import { deliveries, deliveryHours, transcripts, replays } from './deliveries.ts';
import type { Entity } from './entity.ts';
import { messageUpstreamIds, messages, idempotency } from './messages.ts';
import { mailLines, mails } from './mails.ts';
import { mediaFiles } from './media-files.ts';
import { unmatchedFacts, strandedFacts, quarantine } from './facts.ts';
import { people, passes } from './people.ts';
import { requestLog } from './request-log.ts';
import { setupSessions } from './setup-sessions.ts';
import { subscriptions } from './subscriptions.ts';
import { templates, templateSyncs, templateUses } from './templates.ts';

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
  appNotes,
};

type Entities = typeof entities;
export type EntityName = keyof Entities;
export type ItemOf<N extends EntityName> = Entities[N] extends Entity<infer T extends object> ? T : never;
