/** The stores that are written once, for every engine. */
import type { Stores } from '../stores-port.ts';
import type { Engine } from '../records.ts';
import { accountStore, keyStore, accountWordStore } from '../../features/accounts/store.ts';
import { appNoteStore } from '../../features/platform/store.ts';
import { auditStore } from '../../features/audit/store.ts';
import { channelHealthStore } from '../../features/channels/health-store.ts';
import { deliveryHourStore } from '../../features/deliveries/delivery-hours.ts';
import { idempotencyStore } from '../../features/messages/idempotency.ts';
import { subscriptionStore } from '../../features/licences/store.ts';
import { deliveryLogStore } from '../../features/deliveries/delivery-log.ts';
import { messageListStore, messageLogStore } from '../../features/messages/message-list.ts';
import { strandedFactsStore } from '../../features/messages/stranded-facts-store.ts';
import { personStore, passStore } from '../../features/people/store.ts';
import { quarantineStore } from '../../features/quarantine/store.ts';
import { redirectStore } from '../../features/redirects/store.ts';
import { requestLogStore } from '../../features/requests/store.ts';
import { replayStore } from '../../features/deliveries/replays-store.ts';
import { setupSessionStore } from '../../features/connecting/store.ts';
import { templateLimitStore } from '../../features/templates/limits-store.ts';
import { templateStore } from '../../features/templates/store.ts';
import { transcriptStore } from '../../features/deliveries/transcripts-store.ts';

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
