import { sealContext } from '../../domain/accounts/sealed.ts';
import { redactContent } from '../../domain/events/redact-content.ts';
import { parseAttempts } from '../../domain/webhooks/attempt-log.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { WaitingDelivery } from '../ports/delivery-log.ts';
import { showDelivery } from './list.ts';
import type { ExaminedDelivery } from './types.ts';

/**
 * One delivery with the transcripts of its attempts and, while its payload is kept, its event without message text.
 * Throws 404 `not_found`. [portal: Deliveries]
 */
export async function readDelivery(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<ExaminedDelivery> {
  const which = { accountId: caller.accountId, channelId };
  const [channel, found] = await Promise.all([
    findChannel(deps, caller, channelId),
    deps.stores.deliveryLog.whole({ ...which, id: deliveryId }),
  ]);
  if (found === null) throw fault('not_found', { what: 'Delivery' });
  const { payload, ...logged } = found;
  const delivery = showDelivery(channel, logged);
  const transcripts = await deps.transcripts.ofDelivery({ ...which, deliveryId });
  const attempts = parseAttempts(logged.attemptLog).map((attempt) => ({
    ...attempt,
    transcript: transcripts.get(attempt.at) ?? null,
  }));
  const isKept = delivery.state === 'pending' || delivery.keptUntil !== null;
  const body = isKept ? bodyOf(deps, { payload, ...logged }) : null;
  return { channel, delivery, attempts, maxAttempts: deps.settings.webhookRetryDelaysMs.length + 1, body };
}

function bodyOf({ sealer }: UseCaseDeps, { id, channelId, payload }: WaitingDelivery): string | null {
  if (payload === null) return null;
  try {
    return redactContent(sealer.open(payload, sealContext.delivery(channelId, id)));
  } catch {
    return null; // its key is no longer configured
  }
}
