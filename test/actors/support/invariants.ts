/** The invariants at the end of every history. [faults: I1-I5, I8] */
import type { Call } from './model-upstream.ts';
import type { ModelHistory } from './model-history.ts';
import { rules } from './model-settings.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { endpointOwner } from './model-endpoint.ts';
import { brokenInbound } from './model-inbound.ts';

export function brokenInvariants(history: ModelHistory): string[] {
  return [
    ...history.problems,
    ...promisesToClients(history),
    ...copies(history),
    ...deliveries(history),
    ...copiesOfEndpoint(history),
    ...replays(history),
    ...reported(history),
    ...brokenInbound(history),
  ];
}

function callsOf({ upstream }: ModelHistory, messageId: string): Call[] {
  return upstream.calls.filter((call) => call.messageId === messageId);
}

/** I1, I3 */
function promisesToClients(history: ModelHistory): string[] {
  const broken: string[] = [];
  for (const [messageId, told] of history.told) {
    const message = history.store.messages.get(messageId);
    const state = message?.state ?? 'absent';
    const calls = callsOf(history, messageId);
    const wasTold = [...told].join(' and ');
    // A request that is repeated after a 503 is a new one.
    if (told.has('refused') && !history.askedAgain.has(messageId) && calls.length > 0)
      broken.push(`I3: ${messageId} was told 503 and called ${calls.length} times`);
    if (told.has('sent') && state !== 'sent') broken.push(`I1: ${messageId} told sent is ${state}`);
    if ((told.has('queued') || told.has('failed')) && state !== 'sent' && state !== 'failed')
      broken.push(`I1: ${messageId} told ${wasTold} is ${state}`);
    const mailed = history.store.mails.some(
      ({ kind, line }) => kind === 'delivery-digest' && line.includes(`message ${messageId}:`),
    );
    // Two owners had requests for one id, and a store that answered neither: one client may get 503, the other queued.
    const wasSaid = told.has('failed') || told.has('refused') || mailed;
    if (told.has('queued') && state === 'failed' && !wasSaid)
      broken.push(`${messageId} failed without a digest line`);
    if (state === 'sending' || state === 'queued') broken.push(`${messageId} is left ${state}`);
  }
  return broken;
}

/** I2 */
function copies(history: ModelHistory): string[] {
  const broken: string[] = [];
  for (const { id, copies: claimed, origin } of history.store.messages.values()) {
    if (origin === 'echo') continue;
    const out = callsOf(history, id).filter(({ became }) => became === 'accepted' || became === 'lost');
    if (out.length > 2 || claimed > 2) broken.push(`I2: ${id} has ${out.length} copies, ${claimed} claimed`);
  }
  return broken;
}

/** I4, I5 */
function deliveries(history: ModelHistory): string[] {
  const broken: string[] = [];
  const { store, receiver } = history;
  for (const { id, channelId, event, messageId, state, lastResult } of store.deliveries.values()) {
    const losses = (channelId === endpointOwner ? history.endpoint?.losses : history.losses) ?? 0;
    const { made, ok } = receiver.posts.get(id) ?? { made: 0, ok: 0 };
    if (state === 'pending') broken.push(`I4: ${event} of ${messageId} is pending`);
    if (state === 'delivered' && ok === 0) broken.push(`I4: ${event} of ${messageId} never arrived`);
    const isCanceled = lastResult?.startsWith('canceled') === true;
    const alerted = store.mails.some(
      ({ id: mail, line }) =>
        mail.slice(0, mail.lastIndexOf(':')) === `webhook-alert:${channelId}` &&
        line.includes(`event ${event} message ${messageId}:`),
    );
    if (state === 'failed' && !isCanceled && !alerted)
      broken.push(`I4: ${event} of ${messageId} failed unsaid`);
    if (ok > 1 + losses)
      broken.push(`I5: ${event} of ${messageId} arrived ${ok} times, ${losses} owners lost`);
    const ladders = 1 + (store.revivals.get(id) ?? 0);
    if (made > (rules.webhookRetryDelaysMs.length + 1) * ladders + losses)
      broken.push(`${event} of ${messageId}: ${made} POSTs`);
  }
  return broken;
}

/** [spec: Additions, Endpoints 1] Each event is stored once for the endpoint, too, and none for it alone, unless the events were changed. */
function copiesOfEndpoint({ endpoint, wereSettingsChanged, own, copies: stored }: ModelHistory): string[] {
  if (endpoint === null || endpoint.wasChanged || wereSettingsChanged) return [];
  const nameOf = ({ event, messageId }: Delivery): string => `${event} of ${messageId}`;
  const [ofChannel, ofEndpoint] = [own, stored].map((each) => each.map(nameOf).toSorted());
  return String(ofChannel) === String(ofEndpoint)
    ? []
    : [`the channel has ${String(ofChannel)}, its endpoint ${String(ofEndpoint)}`];
}

/** [operator-interface §3] Deliveries that were kept when a replay was requested are retried, whatever happens to the owner. */
function replays({ store, replayed }: ModelHistory): string[] {
  const left = store.replays.map(({ id }) => `${id} has not ended`);
  const asItWas = replayed.flatMap((kept) =>
    [...kept].filter(([id, since]) => store.deliveries.get(id)?.keptSince === since),
  );
  return [...left, ...asItWas.map(([id]) => `a replay left ${id} as it was`)];
}

/** Every message for which upstream was answered 200 has its event, unless the enabled events were changed. */
function reported(history: ModelHistory): string[] {
  if (history.wereSettingsChanged) return [];
  return history.taken.flatMap((fact) => {
    if (fact.kind === 'receipt' && fact.tag !== null) return missingStatus(history, fact.status, fact.tag);
    // Two concurrent owners: the new one cannot know what the old one is still sending.
    if (fact.kind === 'conversation-receipt') return history.overtakes > 0 ? [] : missingReads(history, fact);
    return fact.kind === 'echo' ? wrongEcho(history, fact) : [];
  });
}

function missingStatus({ own }: ModelHistory, status: string, messageId: string): string[] {
  const event = `message.${status}`;
  const isThere = own.some((d) => d.event === event && d.messageId === messageId);
  return isThere ? [] : [`${event} of ${messageId} is missing`];
}

function missingReads(
  history: ModelHistory,
  fact: { status: string; recipient: string; upTo: number | null; upToUpstreamId: string | null; at: number },
): string[] {
  const { store } = history;
  const messages = [...store.messages.values()];
  const point =
    fact.upToUpstreamId === null
      ? null
      : messages.find(
          ({ origin, upstreamIds }) =>
            origin === 'service' && upstreamIds.includes(fact.upToUpstreamId ?? ''),
        );
  const upTo = fact.upTo ?? (point === undefined || point === null ? null : point.attemptedAt);
  if (upTo === null) return [];
  return messages
    .filter((m) => m.recipient === fact.recipient && m.state === 'sent' && m.attemptedAt <= upTo)
    .filter((m) => !store.everFailed.has(m.id)) // confirmed after it had failed
    .filter((m) => callsOf(history, m.id).length < 2) // with two copies it is unknown which one was covered
    .filter((m) => !(m.origin === 'echo' && m.createdAt > fact.at)) // arrived after the receipt was processed
    .filter((m) => m.rank < (fact.status === 'read' ? 3 : 2))
    .map((m) => `message.${fact.status} of ${m.id} is missing`);
}

/** [spec: message.echo rule 1] If upstream names us, or the only call was answered. */
function wrongEcho(history: ModelHistory, fact: { upstreamId: string; recipient: string }): string[] {
  const { store, type, losses } = history;
  const call = history.upstream.calls.find(({ upstreamId }) => upstreamId === fact.upstreamId);
  const echoed = [...store.messages.values()].some(
    ({ origin, upstreamIds }) => origin === 'echo' && upstreamIds.includes(fact.upstreamId),
  );
  if (call === undefined) return echoed ? [] : [`message.echo of ${fact.upstreamId} is missing`];
  const isCertain = type === 'pagechat' || (losses === 0 && call.heard === 'accepted');
  return echoed && isCertain ? [`our own ${call.messageId} came as an echo`] : [];
}
