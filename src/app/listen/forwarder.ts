import { makeSealer, newSealingKey } from '../../adapters/sealing/index.ts';
import { makeWebhookPoster } from '../../adapters/webhooks/index.ts';
import { sealContext } from '../../domain/accounts/sealed.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';

export interface Forwarder {
  /** Posts one envelope and answers the line to print. Never throws. */
  forward(envelope: unknown): Promise<string>;
  close(): Promise<void>;
}

/** Posts through the service's own poster: headers, signature and time-out are those of a real delivery. */
export function makeForwarder(url: string, secret: string): Forwarder {
  const clock = systemClock;
  const sealer = makeSealer([newSealingKey()]);
  const poster = makeWebhookPoster({
    timeoutMs: 5_000,
    allowInsecure: true,
    ownOrigins: [],
    sealer,
    clock,
    log: silentLog,
  });
  return {
    async forward(envelope) {
      const event = eventOf(envelope);
      if (event === null) return 'something that is no event: not forwarded';
      const startedAt = clock.monotonic();
      const { channelId, name } = event;
      const result = await poster.post({
        channelId,
        url,
        secret: sealer.sealText(secret, sealContext.webhookSecret(channelId)),
        deliveryId: newId(),
        attempt: 1,
        isFailing: false,
        body: Buffer.from(JSON.stringify(envelope)),
      });
      const answer = result.ok
        ? String(result.status)
        : [result.status, result.reason].filter(Boolean).join(' ');
      return `${name} ${channelId} → ${answer} (${Math.round(clock.monotonic() - startedAt)} ms)`;
    },
    close: () => poster.close(),
  };
}

function eventOf(envelope: unknown): { name: string; channelId: string } | null {
  if (typeof envelope !== 'object' || envelope === null) return null;
  if (!('event' in envelope) || !('channel_id' in envelope)) return null;
  const { event: name, channel_id: channelId } = envelope;
  return typeof name === 'string' && typeof channelId === 'string' ? { name, channelId } : null;
}
