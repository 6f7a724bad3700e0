/** One webhook attempt. [spec: Delivery and retry of webhooks] */
import { sealContext } from '../../../src/domain/accounts/sealed.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ChannelWork, ChannelPorts, Of } from './channel-ports.ts';

type Claim =
  { claim: 'ours'; body: Uint8Array } | { claim: 'lost' } | { claim: 'not-now' } | { claim: 'unreadable' };

/** The claim is awaited, the POST is not: it reports its own result. */
export async function postWebhook(
  ports: ChannelPorts,
  effect: Of<'post-webhook'>,
  work: ChannelWork,
): Promise<void> {
  const { deliveryId, requestId, attempts, settings, isFailing } = effect;
  const claimed = await claim(ports, effect, work);
  const startedAt = ports.clock.now();
  const { webhookUrl: url, webhookSecret: secret } = settings.channel;
  if (claimed.claim === 'not-now') {
    work.report({ type: 'post-ended', deliveryId, outcome: 'postponed' });
  } else if (claimed.claim === 'unreadable') {
    // Its key is gone: it ends as any other that can't be delivered, with its mails. [faults: I4]
    const result = { ok: false, status: null, reason: 'payload unreadable' } as const;
    work.report({ type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result });
  } else if (claimed.claim === 'lost' || url === null) {
    work.report({ type: 'post-ended', deliveryId, outcome: 'lost' });
  } else {
    const { body } = claimed;
    void ports.webhooks
      .post({
        channelId: work.key,
        url,
        secret,
        deliveryId,
        requestId,
        attempt: attempts + 1,
        body,
        isFailing,
      })
      .then((result) => {
        // An attempt that was not made takes nothing of the schedule. [faults: 98]
        const isTried = result.ok || result.reason !== 'busy';
        work.report(
          isTried
            ? { type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result }
            : { type: 'post-ended', deliveryId, outcome: 'postponed' },
        );
      });
  }
}

/** The insert was the claim of the first attempt; later ones are claimed again. */
async function claim(ports: ChannelPorts, effect: Of<'post-webhook'>, work: ChannelWork): Promise<Claim> {
  const { deliveryId, requestId, attempts, payload } = effect;
  try {
    if (payload === null) {
      const write = { write: 'claimDelivery', deliveryId, attempts } as const;
      const [claimed] = await ports.store.commit(work.key, work.lease.epoch, [write]);
      if (claimed?.applied !== true) return { claim: 'lost' };
    }
    if (!work.isLive() || !work.lease.isValid()) return { claim: 'not-now' };
    return payload === null ? await read(ports, deliveryId, work) : { claim: 'ours', body: payload };
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const ids = { channel: work.key, delivery: deliveryId, request_id: requestId };
    ports.log.warn({ ...ids, error: asError(error) }, 'delivery.postponed');
    return { claim: 'not-now' };
  }
}

async function read(
  { store, sealer, log }: ChannelPorts,
  deliveryId: string,
  { key }: ChannelWork,
): Promise<Claim> {
  const sealed = await store.deliveryPayload(key, deliveryId);
  if (sealed === null) return { claim: 'lost' };
  try {
    return { claim: 'ours', body: sealer.open(sealed, sealContext.delivery(key, deliveryId)) };
  } catch {
    log.error({ channel: key, delivery: deliveryId }, 'delivery.payload-unreadable');
    return { claim: 'unreadable' };
  }
}
