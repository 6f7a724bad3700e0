/** Everything a storage adapter promises, as tests: `describeStore(name, open)` runs it over any of them. */
import {
  describeAccountStore,
  describeKeyStore,
  describeRedirectStore,
  describeSubscriptionStore,
} from './accounts.ts';
import { describeAccountWords } from './account-words.ts';
import { describeAudit } from './audit.ts';
import { describeBilling } from './billing.ts';
import { describeCertainty } from './certain.ts';
import { describeChannelHealth } from './channel-health.ts';
import { describeChannelReads, describeChannelSettings } from './channel-state.ts';
import { describeChannelStore } from './channels.ts';
import { describeDeliveries } from './deliveries.ts';
import { describeDeliveryHours } from './delivery-hours.ts';
import { describeDeliveryLog } from './delivery-log.ts';
import { describeDeliveryPages } from './delivery-pages.ts';
import { describeDueWork, describeOwnership } from './due-work.ts';
import { describeIdempotencyStore, describeMailStore, describeSetupSessionStore } from './flows.ts';
import { describeKeptDeliveries } from './kept-deliveries.ts';
import { describeMedia } from './media.ts';
import { describeMessageFacts } from './message-facts.ts';
import { describeMessageList } from './message-list.ts';
import { describeMessageLog } from './message-log.ts';
import { describeMessageIntents } from './message-intents.ts';
import { describeStrandedFacts } from './stranded-facts.ts';
import { describeQuarantine } from './quarantine.ts';
import { describeRequestLog } from './request-log.ts';
import { describeExchange, describeReservations } from './reservations.ts';
import { describeReplays } from './replays.ts';
import { describeSends } from './sends.ts';
import { describeTemplateLimits, describeTemplates, describeTemplateSyncs } from './templates.ts';
import { describePassStore, describePersonStore } from './people.ts';
import { describeTranscripts } from './transcripts.ts';
import type { Open, OpenJournal } from './store.ts';

export type { Open, OpenStore } from './store.ts';

const journalSuites = [
  describeChannelReads,
  describeMessageIntents,
  describeMessageLog,
  describeMessageFacts,
  describeCertainty,
  describeDeliveries,
];

const suites = [
  describeAccountStore,
  describeKeyStore,
  describeRedirectStore,
  describePersonStore,
  describePassStore,
  describeSubscriptionStore,
  describeBilling,
  describeChannelStore,
  describeReservations,
  describeExchange,
  describeSetupSessionStore,
  describeChannelSettings,
  describeDeliveryHours,
  describeDeliveryLog,
  describeDeliveryPages,
  describeMessageList,
  describeRequestLog,
  describeKeptDeliveries,
  describeReplays,
  describeTranscripts,
  describeMedia,
  describeQuarantine,
  describeAudit,
  describeAccountWords,
  describeChannelHealth,
  describeTemplates,
  describeTemplateSyncs,
  describeTemplateLimits,
];

/** What is written or read with a concern that is not the server's own choice, beside the journal. */
const concernedSuites = [
  describeIdempotencyStore,
  describeMailStore,
  describeDueWork,
  describeOwnership,
  describeStrandedFacts,
  describeSends,
];

/** `open` makes an empty store each time it is called. */
export function describeStore(name: string, open: Open): void {
  describeJournal(name, open);
  for (const suite of [...suites, ...concernedSuites]) suite(name, open);
}

/** What may differ between two topologies of one server. */
export function describeConcerns(name: string, open: Open): void {
  describeJournal(name, open);
  for (const suite of concernedSuites) suite(name, open);
}

/** What the random histories of the channel actor trust, of whatever keeps it. */
export function describeJournal(name: string, open: Open<OpenJournal>): void {
  for (const suite of journalSuites) suite(name, open);
}
