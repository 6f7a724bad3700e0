/** Deliveries as a channel's owner writes them. */
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';
import type { Service } from './service.ts';

/** A delivery made this many ms ago. Its payload is an inbound event, unless one is given. */
export async function madeDelivery(
  { channelState, clock, sealer }: Service,
  { id: channelId, accountId }: Pick<Channel, 'id' | 'accountId'>,
  agoMs: number,
  over: Partial<Delivery> = {},
): Promise<Delivery> {
  const createdAt = clock.now() - agoMs;
  const anew = aDelivery(channelId, { accountId, createdAt, event: 'message.received', ...over });
  const text = '{"event":"message.received","data":{"text":"a secret of theirs"}}';
  const payload =
    over.payload === undefined
      ? sealer.seal(Buffer.from(text), sealContext.delivery(channelId, anew.id))
      : over.payload;
  const delivery = { ...anew, payload };
  await channelState.commit(channelId, 1, [{ write: 'insertDelivery', delivery }]);
  return delivery;
}

/** A delivery that failed this many ms ago, and is kept. */
export function keptDelivery(
  service: Service,
  channel: Pick<Channel, 'id' | 'accountId'>,
  agoMs: number,
  over: Partial<Delivery> = {},
): Promise<Delivery> {
  const keptSince = service.clock.now() - agoMs;
  return madeDelivery(service, channel, agoMs, { state: 'failed', keptSince, keptBytes: 1, ...over });
}
