/** One webhook attempt. [spec: Delivery and retry of webhooks] */
import { previousSecretAt } from '../../../src/rules/channels/channel.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { unreadable } from '../../../src/rules/outside.ts';
import type { AccountReceiverSettings } from '../../../src/rules/outside.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ChannelWork, ChannelPorts, EffectNamed, OwnPorts } from './channel-ports.ts';
import { retryUntilStored, tryIntent, untilStored } from './retry-until-stored.ts';

type NoPayload = 'lost' | 'not-now' | 'unreadable';

/** Awaits the claim, not the POST: the POST reports its own result. */
export function postWebhook(
  ports: OwnPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<void> | undefined {
  const { payload } = effect;
  if (effect.lost > 0) return postAlone(ports, effect, work);
  if (payload === null)
    return claim(ports, effect, work).then((claimed) => void post(ports, effect, work, claimed));
  // The insert was the claim of the first attempt: there is nothing to wait for.
  void post(ports, effect, work, mayAct(work) ? payload : 'not-now');
  return undefined;
}

/**
 * Never rejects: an attempt that throws, which is our defect, is one that did not reach the receiver, and must not end the node.
 * [faults: 336]
 */
async function post(
  ports: OwnPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
  claimed: Uint8Array | NoPayload,
): Promise<void> {
  try {
    if (typeof claimed !== 'string' && effect.settings.isDefaultReceiver === true)
      await postToDefault(ports, effect, work, claimed);
    else await postClaimed(ports, effect, work, claimed);
  } catch (error) {
    const { deliveryId, requestId } = effect;
    const ids = { channel: work.key, delivery: deliveryId, request_id: requestId };
    ports.log.error({ ...ids, error: asError(error) }, 'webhook.broken');
    const result = { ok: false, status: null, reason: 'connection' } as const;
    const startedAt = ports.clock.now();
    work.report({ type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result });
  }
}

/**
 * The account's default is read at each attempt, because no owner is told of its changes. If it takes the event no more, or the store does not
 * answer, no attempt is made; the settings that are read then cancel it.
 */
async function postToDefault(
  ports: OwnPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
  payload: Uint8Array,
): Promise<void> {
  const { settings, event } = effect;
  const { channel } = settings;
  const receiver = await readDefault(ports, effect, work);
  if (receiver === 'not-now') return notPosted(ports, effect, work);
  const isTaken = receiver?.webhookEvents?.includes(event) === true;
  if (!isTaken || receiver.webhookUrl !== channel.webhookUrl) work.report({ type: 'settings-changed' });
  if (!isTaken) return notPosted(ports, effect, work);
  const now = { ...effect, settings: { ...settings, channel: { ...channel, ...receiver } } };
  await postClaimed(ports, now, work, payload);
}

async function readDefault(
  { accountReceiver, storeFailed }: OwnPorts,
  { settings, deliveryId, requestId }: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<AccountReceiverSettings | null | 'not-now'> {
  try {
    return await accountReceiver.of(settings.channel);
  } catch (error) {
    const ids = { channel: work.key, delivery: deliveryId, request_id: requestId };
    storeFailed('delivery.postponed', error, ids);
    return 'not-now';
  }
}

/** A suspect is claimed only in its turn: the channel then decides whether it is still posted. */
export function awaitTurn(
  { suspectPosts }: OwnPorts,
  { deliveryId }: EffectNamed<'await-turn'>,
  work: ChannelWork,
): void {
  suspectPosts.run(() => work.report({ type: 'turn-came', deliveryId }));
}

async function postAlone(
  ports: OwnPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<void> {
  const claiming = claim(ports, effect, work);
  const posted = claiming.then((claimed) => post(ports, effect, work, claimed));
  ports.suspectPosts.begin(posted);
  posted.catch(() => undefined); // `claiming` is awaited below and reports the same error
  await claiming;
}

export async function quarantineDelivery(
  ports: OwnPorts,
  { channel, delivery, tries }: EffectNamed<'quarantine-delivery'>,
  work: ChannelWork,
): Promise<void> {
  const { id, event, messageId, requestId } = delivery;
  const put = async (): Promise<void> => {
    const payload = await readPayload(ports, id, work);
    if (typeof payload === 'string') return;
    const body = Buffer.from(payload).toString();
    const item = { channel, ownerId: work.key, id, event, messageId, requestId, body, tries };
    await ports.quarantine.add({ kind: 'delivery', ...item });
  };
  await untilStored(ports, work, put, () => work.report({ type: 'delivery-quarantined', deliveryId: id }));
}

async function postClaimed(
  ports: OwnPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
  claimed: Uint8Array | NoPayload,
): Promise<void> {
  const { deliveryId, requestId, attempts, since, settings, isFailing } = effect;
  const startedAt = ports.clock.now();
  const { channel } = settings;
  const { webhookUrl: url, webhookSecret: secret } = channel;
  if (claimed === 'not-now') {
    await notPosted(ports, effect, work);
  } else if (claimed === 'unreadable') {
    // The key of the payload is gone: the delivery ends like any failed one, with its mails. [faults: I4]
    const result = { ok: false, status: null, reason: unreadable } as const;
    work.report({ type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result });
  } else if (claimed === 'lost' || url === null) {
    work.report({ type: 'post-ended', deliveryId, outcome: 'lost' });
  } else {
    const attempt = attempts + 1;
    const request = {
      channelId: work.key,
      url,
      secret,
      previousSecret: previousSecretAt(channel, startedAt),
      headers: settings.headers ?? null,
      deliveryId,
      requestId,
      attempt,
      since,
      body: claimed,
      isFailing,
      logged: { channel, startedAt },
    };
    const result = await ports.webhooks.post(request);
    // An attempt that was not made does not count in the schedule. [faults: 98]
    const isTried = result.ok || result.reason !== 'busy';
    if (isTried) work.report({ type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result });
    else await notPosted(ports, effect, work);
  }
}

/** Takes back the claim of a suspect whose POST was not made: otherwise crashes of its later owners would count against it. */
async function notPosted(
  ports: OwnPorts,
  { deliveryId, attempts, lost, claims }: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<void> {
  const write = { write: 'claimDelivery', deliveryId, attempts, claims } as const;
  try {
    if (lost > 0) await retryUntilStored(ports, work, () => tryIntent(ports, work, write));
    work.report({ type: 'post-ended', deliveryId, outcome: 'postponed' });
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    work.report({ type: 'post-ended', deliveryId, outcome: 'lost' });
  }
}

function mayAct(work: ChannelWork): boolean {
  return work.isLive() && work.grant.isValid();
}

/** Claims every attempt but the first. */
async function claim(
  ports: OwnPorts,
  { deliveryId, requestId, attempts, lost }: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<Uint8Array | NoPayload> {
  if (!mayAct(work)) return 'not-now';
  try {
    const intent = { write: 'claimDelivery', deliveryId, attempts, claims: lost + 1 } as const;
    if (!(await tryIntent(ports, work, intent))) return 'lost';
    return mayAct(work) ? await readPayload(ports, deliveryId, work) : 'not-now';
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const ids = { channel: work.key, delivery: deliveryId, request_id: requestId };
    ports.storeFailed('delivery.postponed', error, ids);
    return 'not-now';
  }
}

async function readPayload(
  { store, sealer, log }: ChannelPorts,
  deliveryId: string,
  { key }: ChannelWork,
): Promise<Uint8Array | NoPayload> {
  const sealed = await store.deliveryPayload(key, deliveryId);
  if (sealed === null) return 'lost';
  try {
    return sealer.open(sealed, sealContext.delivery(key, deliveryId));
  } catch {
    log.error({ channel: key, delivery: deliveryId }, 'delivery.payload-unreadable');
    return 'unreadable';
  }
}
