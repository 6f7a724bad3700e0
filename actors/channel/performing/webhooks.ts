/** One webhook attempt. [spec: Delivery and retry of webhooks] */
import { previousSecretAt } from '../../../src/domain/channels/channel.ts';
import { sealContext } from '../../../src/domain/accounts/sealed.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ChannelWork, ChannelPorts, EffectNamed } from './channel-ports.ts';

type NotOurs = 'lost' | 'not-now' | 'unreadable';

/** The claim is waited for, the POST is not: it reports its own result. */
export function postWebhook(
  ports: ChannelPorts,
  effect: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<void> | undefined {
  const { payload } = effect;
  if (payload === null)
    return claim(ports, effect, work).then((claimed) => postClaimed(ports, effect, work, claimed));
  // The insert was the claim of the first attempt: nobody waits for anything.
  postClaimed(ports, effect, work, mayAct(work) ? payload : 'not-now');
  return undefined;
}

function postClaimed(
  ports: ChannelPorts,
  { deliveryId, requestId, attempts, settings, isFailing }: EffectNamed<'post-webhook'>,
  work: ChannelWork,
  claimed: Uint8Array | NotOurs,
): void {
  const startedAt = ports.clock.now();
  const { webhookUrl: url, webhookSecret: secret } = settings.channel;
  if (claimed === 'not-now') {
    work.report({ type: 'post-ended', deliveryId, outcome: 'postponed' });
  } else if (claimed === 'unreadable') {
    // The payload's key is gone: the delivery ends as any other that can't be made, with its mails. [faults: I4]
    const result = { ok: false, status: null, reason: 'payload unreadable' } as const;
    work.report({ type: 'post-ended', deliveryId, outcome: 'answered', startedAt, result });
  } else if (claimed === 'lost' || url === null) {
    work.report({ type: 'post-ended', deliveryId, outcome: 'lost' });
  } else {
    const attempt = attempts + 1;
    const post = {
      channelId: work.key,
      url,
      secret,
      previousSecret: previousSecretAt(settings.channel, startedAt),
      deliveryId,
      requestId,
      attempt,
      body: claimed,
      isFailing,
    };
    void ports.webhooks.post(post).then((result) => {
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

function mayAct(work: ChannelWork): boolean {
  return work.isLive() && work.lease.isValid();
}

/** Before each attempt but the first. */
async function claim(
  ports: ChannelPorts,
  { deliveryId, requestId, attempts }: EffectNamed<'post-webhook'>,
  work: ChannelWork,
): Promise<Uint8Array | NotOurs> {
  try {
    const write = { write: 'claimDelivery', deliveryId, attempts } as const;
    const [claimed] = await ports.store.commit(work.key, work.lease.epoch, [write]);
    if (claimed?.applied !== true) return 'lost';
    return mayAct(work) ? await read(ports, deliveryId, work) : 'not-now';
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const ids = { channel: work.key, delivery: deliveryId, request_id: requestId };
    ports.log.warn({ ...ids, error: asError(error) }, 'delivery.postponed');
    return 'not-now';
  }
}

async function read(
  { store, sealer, log }: ChannelPorts,
  deliveryId: string,
  { key }: ChannelWork,
): Promise<Uint8Array | NotOurs> {
  const sealed = await store.deliveryPayload(key, deliveryId);
  if (sealed === null) return 'lost';
  try {
    return sealer.open(sealed, sealContext.delivery(key, deliveryId));
  } catch {
    log.error({ channel: key, delivery: deliveryId }, 'delivery.payload-unreadable');
    return 'unreadable';
  }
}
