/**
 * All stores over an engine: those of the features, written once over records, and what the engine implements itself. Every query carries its
 * account, so that a foreign id behaves exactly like an absent one. [faults: I6]
 */
import type { Engine } from '../storage/engine.ts';
import { keyStore } from './accounts/keys-store.ts';
import { accountStore } from './accounts/store.ts';
import { accountWordStore } from './accounts/words-store.ts';
import { appNoteStore } from './platform/store.ts';
import { auditStore } from './audit/store.ts';
import { channelHealthStore } from './channels/health-store.ts';
import { followUpStore } from './channels/follow-ups-store.ts';
import { channelWordStore } from './channels/words-store.ts';
import { channelStore } from './channels/store.ts';
import { uploadStore } from './media/upload-store.ts';
import { endpointStore } from './endpoints/store.ts';
import { mailStore } from './mails/store.ts';
import { deliveryHourStore } from './deliveries/hours-store.ts';
import { idempotencyStore } from './messages/idempotency-store.ts';
import { subscriptionStore } from './licences/store.ts';
import { deliveryLogStore } from './deliveries/log-store.ts';
import { messageListStore, messageLogStore } from './messages/list-store.ts';
import { referredStore } from './messages/referred-store.ts';
import { strandedFactsStore } from './messages/stranded-facts-store.ts';
import { personStore, passStore } from './accounts/people-store.ts';
import { personNameStore } from './person-names/store.ts';
import { quarantineStore } from './quarantine/store.ts';
import { defaultWebhookStore } from './default-webhook/store.ts';
import { redirectStore } from './redirects/store.ts';
import { requestLogStore } from './requests/store.ts';
import { replayStore } from './deliveries/replays-store.ts';
import { setupSessionStore } from './connecting/store.ts';
import { templateLimitStore } from './templates/limits-store.ts';
import { templateStore } from './templates/store.ts';
import { transcriptStore } from './deliveries/transcripts-store.ts';

export type Stores = ReturnType<typeof makeStores>;

export function makeStores(engine: Engine) {
  const { recordsOf, dueWork, keptDeliveries, media, sends } = engine;
  return {
    accounts: accountStore(engine),
    accountWords: accountWordStore(recordsOf),
    keys: keyStore(recordsOf),
    redirects: redirectStore(recordsOf),
    defaultWebhooks: defaultWebhookStore(recordsOf),
    endpoints: endpointStore(recordsOf),
    people: personStore(recordsOf),
    passes: passStore(recordsOf),
    strandedFacts: strandedFactsStore(recordsOf),
    personNames: personNameStore(recordsOf),
    quarantine: quarantineStore(recordsOf),
    subscriptions: subscriptionStore(recordsOf),
    setupSessions: setupSessionStore(recordsOf),
    idempotency: idempotencyStore(recordsOf),
    health: channelHealthStore(recordsOf),
    followUps: followUpStore(recordsOf),
    channelWords: channelWordStore(recordsOf),
    deliveryLog: deliveryLogStore(recordsOf),
    messageList: messageListStore(recordsOf),
    messageLog: messageLogStore(recordsOf),
    referred: referredStore(recordsOf),
    requestLog: requestLogStore(recordsOf),
    templates: templateStore(recordsOf),
    templateLimits: templateLimitStore(recordsOf),
    audit: auditStore(recordsOf),
    replays: replayStore(recordsOf),
    transcripts: transcriptStore(recordsOf),
    deliveryHours: deliveryHourStore(recordsOf),
    appNotes: appNoteStore(recordsOf),
    uploads: uploadStore(recordsOf),
    channels: channelStore(engine),
    mails: mailStore(engine),
    dueWork,
    keptDeliveries,
    media,
    sends,
  };
}

/** An open store with its stores. */
export function withStores<S extends { engine: Engine }>(store: S): S & { stores: Stores } {
  return { ...store, stores: makeStores(store.engine) };
}
