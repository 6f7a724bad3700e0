/** All entities, by name. */
import { appNotes } from '../../features/platform/entity.ts';
import { accounts, accountWords, apiKeys, redirects } from '../../features/accounts/entity.ts';
import { audit } from '../../features/audit/entity.ts';
import { channels, owners, channelHealth } from './channels.ts';
import { deliveries, deliveryHours, transcripts, replays } from './deliveries.ts';
import type { Entity } from './entity.ts';
import { messageUpstreamIds, messages, idempotency } from './messages.ts';
import { mailLines, mails } from './mails.ts';
import { mediaFiles } from './media-files.ts';
import { unmatchedFacts, strandedFacts, quarantine } from './facts.ts';
import { people, passes } from '../../features/people/entity.ts';
import { requestLog } from '../../features/requests/entity.ts';
import { setupSessions } from '../../features/connecting/entity.ts';
import { subscriptions } from '../../features/licences/entity.ts';
import { templates, templateSyncs, templateUses } from '../../features/templates/entity.ts';

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
