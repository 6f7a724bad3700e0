/**
 * Store ports of the use-cases. Implemented twice (SQLite, MongoDB) and held to one conformance suite. Every
 * query carries its account, so that a foreign id behaves exactly like an absent one. [faults: I6]
 *
 * Every store call throws `StoreUnavailable` if the store can't be reached within its time budget.
 */
import type { AppNoteStore } from './app-notes.ts';
import type { AuditStore } from './audit.ts';
import type { AccountStore, KeyStore, RedirectStore, AccountWordStore } from './accounts.ts';
import type { SubscriptionStore } from './licences.ts';
import type { ChannelRecords } from './channels.ts';
import type { SetupSessionStore } from './connecting.ts';
import type {
  IdempotencyStore,
  StrandedFactsStore,
  SendStore,
  MessageListStore,
  MessageLogStore,
  QuarantineStore,
} from './messages.ts';
import type { HealthStore } from './health.ts';
import type { TemplateLimitStore, TemplateStore } from './templates.ts';
import type { MediaStore } from './media.ts';
import type { PassStore, PersonStore } from './people.ts';
import type {
  DeliveryHourStore,
  DeliveryLogStore,
  TranscriptStore,
  KeptDeliveryStore,
  ReplayStore,
} from './deliveries.ts';
import type { RequestLogStore } from './request-log.ts';
import type { MailStore } from './mails.ts';
import type { DueWorkStore } from './nodes.ts';

/** Where a call takes the signal `stopping`, it begins no further slice once that has aborted. */
export interface Stores {
  accounts: AccountStore;
  accountWords: AccountWordStore;
  keys: KeyStore;
  redirects: RedirectStore;
  people: PersonStore;
  passes: PassStore;
  subscriptions: SubscriptionStore;
  channels: ChannelRecords;
  setupSessions: SetupSessionStore;
  idempotency: IdempotencyStore;
  mails: MailStore;
  dueWork: DueWorkStore;
  strandedFacts: StrandedFactsStore;
  media: MediaStore;
  quarantine: QuarantineStore;
  health: HealthStore;
  sends: SendStore;
  deliveryLog: DeliveryLogStore;
  deliveryHours: DeliveryHourStore;
  keptDeliveries: KeptDeliveryStore;
  replays: ReplayStore;
  transcripts: TranscriptStore;
  messageLog: MessageLogStore;
  messageList: MessageListStore;
  requestLog: RequestLogStore;
  templates: TemplateStore;
  templateLimits: TemplateLimitStore;
  audit: AuditStore;
  appNotes: AppNoteStore;
}
