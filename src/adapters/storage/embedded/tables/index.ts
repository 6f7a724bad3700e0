/** Every table of the file: a new one takes a line here. */
import { accounts, apiKeys, redirects } from './accounts.ts';
import { channelHealth } from './channel-health.ts';
import { channels } from './channels.ts';
import { deliveries } from './deliveries.ts';
import { idempotency } from './idempotency.ts';
import { mailLines, mails } from './mails.ts';
import { mediaFiles } from './media-files.ts';
import { messageUpstreamIds, messages } from './messages.ts';
import { owners } from './owners.ts';
import { parkedFacts } from './parked-facts.ts';
import { passes, people } from './people.ts';
import { quarantine } from './quarantine.ts';
import { setupSessions } from './setup-sessions.ts';
import { subscriptions } from './subscriptions.ts';
import type { AnyTable } from './table.ts';
import { templates, templateSyncs, templateUses } from './templates.ts';
import { unmatchedFacts } from './unmatched-facts.ts';

export const tables: readonly AnyTable[] = [
  owners,
  templates,
  templateSyncs,
  templateUses,
  accounts,
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
  parkedFacts,
  quarantine,
  channelHealth,
];
