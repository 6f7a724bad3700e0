/**
 * Store ports of the use-cases. Implemented twice (SQLite, MongoDB) and held to one conformance suite. Every
 * query carries its account, so that a foreign id behaves exactly like an absent one. [faults: I6]
 *
 * Every store call throws `StoreUnavailable` if the store can't be reached within its time budget.
 */
import type { AppNoteStore } from '../features/platform/port.ts';
import type { AuditStore } from '../features/audit/port.ts';
import type { AccountStore, KeyStore, RedirectStore, AccountWordStore } from '../features/accounts/port.ts';
import type { SubscriptionStore } from '../features/licences/port.ts';
import type { ChannelRecords } from '../features/channels/port.ts';
import type { SetupSessionStore } from '../upstream/connecting-port.ts';
import type {
  IdempotencyStore,
  StrandedFactsStore,
  SendStore,
  MessageListStore,
  MessageLogStore,
  QuarantineStore,
} from '../features/messages/port.ts';
import type { HealthStore } from '../upstream/health-port.ts';
import type { TemplateLimitStore, TemplateStore } from '../upstream/templates-port.ts';
import type { MediaStore } from '../media/media-port.ts';
import type { PassStore, PersonStore } from '../features/people/port.ts';
import type {
  DeliveryHourStore,
  DeliveryLogStore,
  TranscriptStore,
  KeptDeliveryStore,
  ReplayStore,
} from '../features/deliveries/port.ts';
import type { RequestLogStore } from '../features/requests/port.ts';
import type { MailStore } from '../features/mails/port.ts';
import type { DueWorkStore } from './nodes-port.ts';

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
