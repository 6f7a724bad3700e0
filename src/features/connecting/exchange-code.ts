/**
 * Exchanges a one-time code for a connected channel. [spec: exchange-code; operator-interface §4: an exchange that fails; faults: 77, 78,
 * 230]
 *
 * Steps, and the state after a failure or a crash between them:
 * 1. Every check that can refuse the request: 400, 402, 422. Nothing is stored.
 * 2. `subscribe` upstream, tried three times. It is idempotent. A failure is 502, "retry may help": the reservation is untouched, so
 *    the same call again, on any node, makes the same channel, until the code expires; then identity and slot are free. A channel
 *    that was connected before keeps everything it had.
 * 3. `exchange` consumes the code and connects the channel in one store operation, if the code was not used, replaced or dropped
 *    meanwhile; otherwise the subscription ends, unless another channel or code has the asset. From here on the channel is complete: it can
 *    receive, and whatever fails below is repeated by others.
 * 4. A number is registered, with one call at most: upstream allows few. What it refuses is a problem of the channel's health, and tried
 *    again later. That it is to be registered is on record before step 3: a crash after it delays the registration.
 *
 * Concurrent calls on one node share steps 2 and 3: one gets the channel, the others `code_not_valid`, or all of them the failure.
 * On several nodes each subscribes, and step 3 has one winner.
 *
 * Rejected designs: connecting before subscribing, and undoing it after a failure (a node that was killed, or a store that was away for
 * the undoing, left a channel that had never worked, with slot and identity, for good); consuming the code first, under a lease (a
 * retry after a crash would wait for the lease).
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { upstreamProblemCodes } from '../../rules/channels/upstream-problems.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { requireOperable } from '../../rules/licences/operability.ts';
import { toTemplateOwner } from '../../rules/templates/owner.ts';
import { sleep } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import type { Actor, Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { intendRegistration, registerNumber } from './register-number.ts';
import { hashOfCode } from './secrets.ts';
import type { ExchangeRequest } from './types.ts';
import type { CodeOfAccount } from '../../rules/channels/reservation.ts';
import {
  announceChange,
  endNeedless,
  forgetFailing,
  intendChange,
  checkWebhookPatch,
  newWebhookSecret,
  settingsFrom,
  keepToken,
  noteWords,
  channelSnapshot,
} from '../channels/index.ts';
import type { ChannelWithSecret, WebhookPatch } from '../channels/index.ts';
import { startingSettings } from '../default-webhook/index.ts';
import { needWebhooksOf } from '../platform/index.ts';

const pausesBeforeSubscribingMs = [0, 200, 1_000];

/**
 * Throws 400 `code_not_valid` (unknown, expired, used or of another account: the same answer), 400 `upstream_refused` (upstream refuses the
 * subscription for good; the sentence says what to do), 402 `licence_inactive`, 422, 502 `upstream_failed`. A 402 or 422 does not consume the code.
 * `atFirst`: what a channel that is new here starts with, unless the request or the account's default says otherwise.
 */
export async function exchangeCode(
  node: World,
  caller: Caller,
  request: ExchangeRequest,
  atFirst: WebhookPatch = {},
): Promise<ChannelWithSecret> {
  const world = underRequest(node, caller.requestId);
  const hash = hashOfCode(request.code);
  if (hash === null) throw fault('code_not_valid');
  const code = { hash, accountId: caller.accountId };
  const now = world.clock.now();
  const reserved = await requireReserved(world, code, now);
  const given = givenIn(request);
  checkWebhookPatch(reserved.channelType, given);
  const shownSecret = secretFor(request);
  const starting = await withStarting(world, reserved, { given, secret: shownSecret, atFirst });
  let isFirst = false;
  const exchanged = await world.exchanges.run(`${code.accountId}.${code.hash}`, () => {
    isFirst = true;
    return connect(world, caller.by, { code, now, reserved, shownSecret, ...starting });
  });
  if (!isFirst) throw fault('code_not_valid');
  return exchanged;
}

interface Starting {
  given: WebhookPatch;
  secret: string | undefined;
  atFirst: WebhookPatch;
}

/** A channel that is new here starts with the account's default, beneath what was given; a given URL is a configuration of its own. */
async function withStarting(
  world: World,
  { accountId, channelType, connectedAt }: Channel,
  { given, secret, atFirst }: Starting,
): Promise<{ patch: WebhookPatch; secret: string | undefined }> {
  if (connectedAt !== null) return { patch: given, secret };
  const { webhookSecret, ...standing } = await startingSettings(world, accountId, channelType);
  const { failedRetentionDays = atFirst.failedRetentionDays } = standing;
  const all = { ...atFirst, ...standing, failedRetentionDays };
  if (given.webhookUrl !== undefined) return { patch: { failedRetentionDays, ...given }, secret };
  const isGiven = Object.entries(given).filter(([, value]) => value !== undefined);
  return { patch: { ...all, ...Object.fromEntries(isGiven) }, secret: secret ?? webhookSecret ?? undefined };
}

/** [spec: 402] The licence may have ended since the dialog: the channel would be active and unusable. */
async function requireReserved(world: World, code: CodeOfAccount, now: number): Promise<Channel> {
  const reserved = await world.stores.channels.reservedBy(code, now);
  if (reserved?.subscriptionId == null) throw fault('code_not_valid');
  const licence = await world.stores.subscriptions.byId(reserved.subscriptionId);
  requireOperable(licence, now, world.settings.graceMs);
  return reserved;
}

interface Exchange {
  code: CodeOfAccount;
  /** When the request came: a code that was valid then is, if it was not replaced or dropped meanwhile. */
  now: number;
  reserved: Channel;
  patch: WebhookPatch;
  secret: string | undefined;
  /** That of the account's default is known to the account already. */
  shownSecret: string | undefined;
}

async function connect(
  world: World,
  by: Actor | undefined,
  { code, now, reserved, patch, secret, shownSecret }: Exchange,
): Promise<ChannelWithSecret> {
  await requireSubscribed(world, reserved);
  await intendRegistration(world, reserved);
  await intendChange(world, reserved.id);
  const channel = await world.stores.channels.exchange(code, now, (before) =>
    settingsFrom(world, before, patch, secret),
  );
  if (channel === null) {
    await endNeedless(world, reserved);
    throw fault('code_not_valid');
  }
  await audit(world, by, 'channel.connected', null, channelSnapshot(channel));
  await announceChange(world, channel.id);
  await noteWords(world, channel);
  await clearProblems(world, channel, reserved);
  await needWebhooksOf(world, channel.channelType);
  await registerNumber(world, channel);
  await askForTokenEnd(world, channel);
  await askForTemplates(world, channel);
  return { channel, webhookSecret: shownSecret ?? null };
}

/** Schedules a background sync, so that the first send need not wait for it. Never throws: a send syncs a missing template by itself. */
async function askForTemplates(world: World, channel: Channel): Promise<void> {
  if (!kindOf(channel.channelType).canSend.has('template')) return;
  try {
    await world.stores.templates.askForSync(toTemplateOwner(channel), world.clock.now());
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.templates-not-asked-for');
  }
}

/** What is known is the end of the token before. Never throws: the periodic check asks again. */
async function askForTokenEnd(world: World, channel: Channel): Promise<void> {
  try {
    const { token } = channel;
    if (channel.tokenExpiresAt !== null)
      await world.stores.channels.replaceToken(channel, { token, tokenExpiresAt: null });
    await keepToken(world, { ...channel, tokenExpiresAt: null });
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.token-end-not-asked');
  }
}

/** A registration that this very exchange has tried may be pending. */
const ofAccessBefore = upstreamProblemCodes.filter((code) => code !== 'registration_pending');

/** What upstream told of the channel was about the access before, and what failed about the address before. Never throws: probes clear what is over, too. */
async function clearProblems(world: World, channel: Channel, before: Channel): Promise<void> {
  try {
    if (channel.webhookUrl !== before.webhookUrl) await forgetFailing(world, channel.id);
    await world.stores.health.clearProblems(channel.id, ofAccessBefore, world.clock.now());
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.problems-not-cleared');
  }
}

/**
 * null means "not given", because a new channel has nothing to clear and a revived one keeps its settings. A URL starts a new
 * configuration: without events beside it there are none. [spec: ExchangeCodeRequest; operator-interface §4]
 */
function givenIn({ code: _code, ...settings }: ExchangeRequest): WebhookPatch {
  const given: WebhookPatch = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null),
  );
  const webhookEvents = given.webhookEvents ?? (given.webhookUrl === undefined ? undefined : null);
  return { ...given, webhookEvents };
}

/** [spec: ExchangeCodeRequest] Generated if a URL is given without a secret, also for a channel that has one. */
function secretFor({ webhookUrl, webhookSecret }: ExchangeRequest): string | undefined {
  if (webhookSecret != null) return webhookSecret;
  return webhookUrl == null ? undefined : newWebhookSecret();
}

async function requireSubscribed(world: World, channel: Channel): Promise<void> {
  const failure = await subscribe(world, channel);
  if (failure === null) return;
  world.log.warn({ channel: channel.id, error: failure }, 'exchange.subscribe-failed');
  throw failure instanceof Fault ? failure : fault('upstream_failed');
}

/** Upstream refuses for good: a repetition is one call more against its limits. */
function isFinal(failure: Error): boolean {
  return failure instanceof Fault && failure.code === 'upstream_refused';
}

/** The last error, or null. */
async function subscribe(world: World, channel: Channel): Promise<Error | null> {
  let failure: Error | null = null;
  for (const pauseMs of pausesBeforeSubscribingMs) {
    if (pauseMs > 0) await sleep(world.clock, pauseMs);
    try {
      await world.upstream.subscribe(channel);
      return null;
    } catch (thrown) {
      failure = asError(thrown);
      if (isFinal(failure)) return failure;
    }
  }
  return failure;
}
