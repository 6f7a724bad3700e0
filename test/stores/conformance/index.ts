/** The contract of every store, as tests: `describeStore(name, open)` runs it with any of them. */
import {
  describeAccountStore,
  describeKeyStore,
  describeRedirectStore,
  describeSubscriptionStore,
} from './accounts.ts';
import { describeAcceptances } from './acceptances.ts';
import { describeStatuses } from './statuses.ts';
import { describeAccountWords } from './account-words.ts';
import { describeChannelWords } from './channel-words.ts';
import { describeAppNotes } from './app-notes.ts';
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
import { describeEndpoints } from './endpoints.ts';
import { describeFactsTogether } from './facts-together.ts';
import { describeKeptDeliveries } from './kept-deliveries.ts';
import { describeMedia } from './media.ts';
import { describeMessageFacts } from './message-facts.ts';
import { describeMessageList } from './message-list.ts';
import { describeReferred } from './referred.ts';
import { describeMessageLog } from './message-log.ts';
import { describeMessageIntents } from './message-intents.ts';
import { describeStrandedFacts } from './stranded-facts.ts';
import { describePersonNames } from './person-names.ts';
import { describeQuarantine } from './quarantine.ts';
import { describeRequestLog } from './request-log.ts';
import { describeExchange, describeReservations } from './reservations.ts';
import { describeReplays } from './replays.ts';
import { describeSends } from './sends.ts';
import { describeTemplateLimits, describeTemplates, describeTemplateSyncs } from './templates.ts';
import { describePassStore, describePersonStore } from './people.ts';
import { describeUploads } from './uploads.ts';
import { describeTranscripts } from './transcripts.ts';
import type { Open, OpenJournal } from './store.ts';

export type { OpenStore } from './store.ts';

const journalSuites = [
  describeChannelReads,
  describeMessageIntents,
  describeMessageLog,
  describeMessageFacts,
  describeFactsTogether,
  describeAcceptances,
  describeStatuses,
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
  describeEndpoints,
  describeDeliveryLog,
  describeDeliveryPages,
  describeMessageList,
  describeReferred,
  describeRequestLog,
  describeKeptDeliveries,
  describeReplays,
  describeTranscripts,
  describeMedia,
  describeUploads,
  describePersonNames,
  describeQuarantine,
  describeAppNotes,
  describeAudit,
  describeAccountWords,
  describeChannelWords,
  describeChannelHealth,
  describeTemplates,
  describeTemplateSyncs,
  describeTemplateLimits,
];

/** Reads and writes with a concern other than the server's default, and the journal. */
const concernedSuites = [
  describeIdempotencyStore,
  describeMailStore,
  describeDueWork,
  describeOwnership,
  describeStrandedFacts,
  describeSends,
];

/** `open` makes an empty store at each call. */
export function describeStore(name: string, open: Open): void {
  describeJournal(name, open);
  for (const suite of [...suites, ...concernedSuites]) suite(name, open);
}

/** The tests whose result may differ between two topologies of one server. */
export function describeConcerns(name: string, open: Open): void {
  describeJournal(name, open);
  for (const suite of concernedSuites) suite(name, open);
}

/** The tests of what the channel actor's random histories rely on, for any store. */
export function describeJournal(name: string, open: Open<OpenJournal>): void {
  for (const suite of journalSuites) suite(name, open);
}
