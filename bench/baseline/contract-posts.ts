import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeWebhookPoster } from '../../src/delivery/index.ts';
import { sendText } from '../../src/http/answers.ts';
import { readBody, upstreamBodyLimit } from '../../src/http/middleware/read-body.ts';
import { readRequestId } from '../../src/http/middleware/request-headers.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { fault } from '../../src/kernel/faults.ts';
import type { Log } from '../../src/kernel/log.ts';
import { noNetworks } from '../../src/rules/address.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import { builtEvent, readAbout } from '../../src/rules/events/built.ts';
import { receivedEvents } from '../../src/rules/events/received.ts';
import type { InboundMessage, Receipt } from '../../src/rules/messages/facts.ts';
import { withAttempt } from '../../src/rules/webhooks/delivery.ts';
import type { Delivery } from '../../src/rules/webhooks/delivery.ts';
import type { DeliveryAttempt, Write } from '../../src/storage/journal/writes.ts';
import { makeParser } from '../../src/upstream/parse.ts';
import { signatureCheck } from '../../src/upstream/signature.ts';
import type { ContractChannel, ContractPart, ContractWorld } from './contract-send.ts';
import { deliveryOf } from './floor-hook.ts';
import { channelOf } from './floor-world.ts';

/**
 * Upstream's POSTs of one status or one message, with the same writes as the floor's, and the delivery of the message's event. [architecture
 * §6; spec: Delivery and retry]
 */
export class ContractPosts implements ContractPart {
  readonly #world: ContractWorld;
  readonly #log: Log;
  readonly #isSigned: ReturnType<typeof signatureCheck>;
  readonly #parser = makeParser(systemClock);
  readonly #poster: ReturnType<typeof makeWebhookPoster>;

  constructor(world: ContractWorld, log: Log) {
    this.#world = world;
    this.#log = log;
    this.#isSigned = signatureCheck({ appSecrets: [world.appSecret], apartSecret: null });
    this.#poster = makeWebhookPoster({
      timeoutMs: 5_000,
      allowInsecure: true,
      sealer: world.sealer,
      clock: systemClock,
      log,
      allowedNetworks: noNetworks,
      ownOrigins: [],
      ownPorts: [],
    });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = readRequestId(request);
    const body = await readBody(request, upstreamBodyLimit);
    if (!this.#isSigned(body, request.headers['x-hub-signature-256'])) throw fault('not_signed');
    const [fact] = (await this.#parser.parse(body)).facts;
    if (fact?.kind !== 'inbound' && fact?.kind !== 'receipt') throw new Error('not a POST of the loads');
    const channel = channelOf(this.#world, fact.identity);
    fact.requestId = requestId;
    if (fact.kind === 'inbound') await this.#take(channel, fact);
    else await this.#world.store.commit(channel.id, channel.epoch, [statusOf(fact)]);
    sendText(response, 200, 'EVENT_RECEIVED');
  }

  close(): Promise<void> {
    return this.#poster.close();
  }

  async #take(channel: ContractChannel, inbound: InboundMessage): Promise<void> {
    const [received] = receivedEvents(channel, 'pro', inbound);
    if (received === undefined) throw new Error('a message without parts');
    const { deliveryId: id, messageId, requestId, upstreamId, envelope } = builtEvent(channel, received);
    const body = Buffer.from(JSON.stringify(envelope));
    const { person, messageType } = readAbout(envelope);
    const about = { id, messageId, person, messageType, upstreamId, requestId };
    const delivery = deliveryOf(this.#world, channel, about, body);
    await this.#world.store.commit(channel.id, channel.epoch, [{ write: 'insertDelivery', delivery }]);
    this.#deliver(channel, delivery, body).catch((error: unknown) =>
      this.#log.error({ error }, 'contract.not-delivered'),
    );
  }

  async #deliver(channel: ContractChannel, delivery: Delivery, body: Buffer): Promise<void> {
    const { id: deliveryId, requestId, createdAt: since } = delivery;
    const { id: channelId, webhookUrl: url, webhookSecret: secret } = channel;
    if (url === null) throw new Error('no receiver');
    const at = Date.now();
    const logged = { channel, startedAt: at };
    const about = {
      channelId,
      url,
      secret,
      deliveryId,
      requestId,
      attempt: 1,
      since,
      isFailing: false,
      logged,
      body,
    };
    const attempt = attemptOf(await this.#poster.post(about), at, Date.now());
    this.#log.info(lineOf(delivery, attempt), 'delivery.attempted');
    await this.#world.store.commit(channelId, channel.epoch, [
      { write: 'recordAttempt', deliveryId, attempt },
    ]);
  }
}

function attemptOf(result: WebhookResult, at: number, now: number): DeliveryAttempt {
  const { ok, status } = result;
  const failure = ok ? null : result.reason;
  return {
    state: ok ? 'delivered' : 'failed',
    attempts: 1,
    firstTriedAt: at,
    nextDueAt: now,
    lastResult: String(status),
    attemptLog: withAttempt(null, { at, durationMs: now - at, status, failure }),
  };
}

/** As the service writes it. */
function lineOf(delivery: Delivery, { lastResult, state }: DeliveryAttempt): Record<string, unknown> {
  return {
    channel: delivery.channelId,
    delivery: delivery.id,
    message: delivery.messageId,
    request_id: delivery.requestId,
    type: delivery.event,
    attempt: 1,
    result: lastResult,
    state,
    retryInMs: null,
  };
}

function statusOf({ tag, channelType, status, upstreamId, at }: Receipt): Write {
  return { write: 'recordStatus', messageId: tag ?? '', channelType, status, upstreamId, at };
}
