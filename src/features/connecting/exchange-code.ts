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
 *    meanwhile. From here on the channel is complete: it can receive, and whatever fails below is repeated by others.
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
import { isPaused } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { upstreamProblemCodes } from '../../rules/channels/upstream-problems.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { requireOperable } from '../../rules/licences/operability.ts';
import { sleep } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import { announceChange } from '../channels/announce-change.ts';
import { checkWebhookPatch, newWebhookSecret, settingsFrom } from '../channels/webhook-settings.ts';
import { keepToken } from '../channels/token-ends.ts';
import type { Caller } from '../../rules/caller.ts';
import type { ChannelWithSecret, WebhookPatch } from '../channels/types.ts';
import { audit } from '../audit/index.ts';
import { channelSnapshot } from '../channels/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { noteChannelWords } from '../operators/account-words.ts';
import { needWebhooksOf } from '../platform/app-webhooks.ts';
import { toTemplateOwner } from '../templates/find.ts';
import { intendRegistration, registerNumber } from './register-number.ts';
import { hashOfCode } from './secrets.ts';
import type { ExchangeRequest } from './types.ts';
import type { CodeOfAccount } from '../../rules/channels/reservation.ts';

const pausesBeforeSubscribingMs = [0, 200, 1_000];

/**
 * Throws 400 `code_not_valid` (unknown, expired, used or of another account: the same answer), 400 `upstream_refused` (upstream refuses the
 * subscription for good; the sentence says what to do), 402 `licence_inactive`, 422, 502 `upstream_failed`. A 402 or 422 does not consume the code.
 */
export async function exchangeCode(
  deps: UseCaseDeps,
  caller: Caller,
  request: ExchangeRequest,
): Promise<ChannelWithSecret> {
  const hash = hashOfCode(request.code);
  if (hash === null) throw fault('code_not_valid');
  const code = { hash, accountId: caller.accountId };
  const now = deps.clock.now();
  const reserved = await requireReserved(deps, code, now);
  const patch = givenIn(request);
  checkWebhookPatch(reserved.channelType, patch);
  let isFirst = false;
  const exchanged = await deps.exchanges.run(`${code.accountId}.${code.hash}`, () => {
    isFirst = true;
    return connect(deps, { code, now, reserved, patch, secret: secretFor(request) });
  });
  if (!isFirst) throw fault('code_not_valid');
  return exchanged;
}

/** [spec: 402] The licence may have ended since the dialog: the channel would be active and unusable. */
async function requireReserved(deps: UseCaseDeps, code: CodeOfAccount, now: number): Promise<Channel> {
  const reserved = await deps.stores.channels.reservedBy(code, now);
  if (reserved?.subscriptionId == null) throw fault('code_not_valid');
  const licence = await deps.stores.subscriptions.byId(reserved.subscriptionId);
  requireOperable(licence, now, deps.settings.graceMs);
  return reserved;
}

interface Exchange {
  code: CodeOfAccount;
  /** When the request came: a code that was valid then is, if it was not replaced or dropped meanwhile. */
  now: number;
  reserved: Channel;
  patch: WebhookPatch;
  secret: string | undefined;
}

async function connect(
  deps: UseCaseDeps,
  { code, now, reserved, patch, secret }: Exchange,
): Promise<ChannelWithSecret> {
  await requireSubscribed(deps, reserved);
  await intendRegistration(deps, reserved);
  const channel = await deps.stores.channels.exchange(code, now, (before) =>
    settingsFrom(deps, before, patch, secret),
  );
  if (channel === null) throw fault('code_not_valid');
  await audit(deps, 'channel.connected', null, channelSnapshot(channel));
  await announceChange(deps, channel.id);
  await noteChannelWords(deps, channel);
  await clearProblems(deps, channel);
  await needWebhooksOf(deps, channel.channelType);
  await registerNumber(deps, channel);
  await askForTokenEnd(deps, channel);
  await askForTemplates(deps, channel);
  return { channel, webhookSecret: secret ?? null };
}

/** Schedules a background sync, so that the first send need not wait for it. Never throws: a send syncs a missing template by itself. */
async function askForTemplates(deps: UseCaseDeps, channel: Channel): Promise<void> {
  if (!kindOf(channel.channelType).canSend.has('template')) return;
  try {
    await deps.stores.templates.askForSync(toTemplateOwner(channel), deps.clock.now());
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.templates-not-asked-for');
  }
}

/** What is known is the end of the token before. Never throws: the periodic check asks again. */
async function askForTokenEnd(deps: UseCaseDeps, channel: Channel): Promise<void> {
  try {
    const { token } = channel;
    if (channel.tokenExpiresAt !== null)
      await deps.stores.channels.replaceToken(channel, { token, tokenExpiresAt: null });
    await keepToken(deps, { ...channel, tokenExpiresAt: null });
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.token-end-not-asked');
  }
}

/** A registration that this very exchange has tried may be pending. */
const ofAccessBefore = upstreamProblemCodes.filter((code) => code !== 'registration_pending');

/** What upstream told of the channel was about the access before. Never throws: probes clear what is over, too. */
async function clearProblems(deps: UseCaseDeps, channel: Channel): Promise<void> {
  try {
    if (isPaused(channel)) {
      await deps.stores.channels.noteSendPause(channel.id, { sendsResumedAt: deps.clock.now() });
      await announceChange(deps, channel.id);
    }
    await deps.stores.health.clearProblems(channel.id, ofAccessBefore);
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.problems-not-cleared');
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

async function requireSubscribed(deps: UseCaseDeps, channel: Channel): Promise<void> {
  const failure = await subscribe(deps, channel);
  if (failure === null) return;
  deps.log.warn({ channel: channel.id, error: failure }, 'exchange.subscribe-failed');
  throw failure instanceof Fault ? failure : fault('upstream_failed');
}

/** Upstream refuses for good: a repetition is one call more against its limits. */
function isFinal(failure: Error): boolean {
  return failure instanceof Fault && failure.code === 'upstream_refused';
}

/** The last error, or null. */
async function subscribe(deps: UseCaseDeps, channel: Channel): Promise<Error | null> {
  let failure: Error | null = null;
  for (const pauseMs of pausesBeforeSubscribingMs) {
    if (pauseMs > 0) await sleep(deps.clock, pauseMs);
    try {
      await deps.upstream.subscribe(channel);
      return null;
    } catch (thrown) {
      failure = asError(thrown);
      if (isFinal(failure)) return failure;
    }
  }
  return failure;
}
