/** The stores that are written once, for every engine. */
import type { Stores } from '../../../use-cases/ports/stores.ts';
import type { Engine } from '../records.ts';
import { accountStore, keyStore, accountWordStore } from './accounts.ts';
import { appNoteStore } from './app-notes.ts';
import { auditStore } from './audit.ts';
import { channelHealthStore } from './channel-health.ts';
import { deliveryHourStore } from './delivery-hours.ts';
import { idempotencyStore } from './idempotency.ts';
import { subscriptionStore } from './licences.ts';
import { deliveryLogStore } from './delivery-log.ts';
import { messageListStore, messageLogStore } from './message-list.ts';
import { strandedFactsStore } from './stranded-facts.ts';
import { personStore, passStore } from './people.ts';
import { quarantineStore } from './quarantine.ts';
import { redirectStore } from './redirects.ts';
import { requestLogStore } from './request-log.ts';
import { replayStore } from './replays.ts';
import { setupSessionStore } from './setup-sessions.ts';
import { templateLimitStore } from './template-limits.ts';
import { templateStore } from './templates.ts';
import { transcriptStore } from './transcripts.ts';

export function sharedStores(engine: Engine) {
  const { recordsOf } = engine;
  return {
    accounts: accountStore(engine),
    accountWords: accountWordStore(recordsOf),
    keys: keyStore(recordsOf),
    redirects: redirectStore(recordsOf),
    people: personStore(recordsOf),
    passes: passStore(recordsOf),
    strandedFacts: strandedFactsStore(recordsOf),
    quarantine: quarantineStore(recordsOf),
    subscriptions: subscriptionStore(recordsOf),
    setupSessions: setupSessionStore(recordsOf),
    idempotency: idempotencyStore(recordsOf),
    health: channelHealthStore(recordsOf),
    deliveryLog: deliveryLogStore(recordsOf),
    messageList: messageListStore(recordsOf),
    messageLog: messageLogStore(recordsOf),
    requestLog: requestLogStore(recordsOf),
    templates: templateStore(recordsOf),
    templateLimits: templateLimitStore(recordsOf),
    audit: auditStore(recordsOf),
    replays: replayStore(recordsOf),
    transcripts: transcriptStore(recordsOf),
    deliveryHours: deliveryHourStore(recordsOf),
    appNotes: appNoteStore(recordsOf),
  } satisfies Partial<Stores>;
}
