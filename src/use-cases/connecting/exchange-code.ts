/**
 * Exchanges a one-time code for a connected channel. [spec: exchange-code; faults: 77, 78]
 *
 * Steps, and the state after a crash between them:
 * 1. `exchange` consumes the code and connects the channel in one store operation; every check that can refuse the request
 *    runs inside it, so that a 422 does not consume the code.
 *    Crash after it → the channel is active and listed, but upstream may not send its events yet. A retry gets
 *    `code_not_valid`; DELETE and a new setup flow restore the same channel id. Slot and claim are never lost.
 * 2. `subscribe` upstream, tried three times. It is idempotent.
 * 3. If it fails, the code is restored: the channel is inactive, as it can't receive, and the same code is valid for the
 *    rest of its five minutes. The client gets 502, "retry may help", and the same call again, on any node, returns the same
 *    channel. A channel that was active before (reconnect) stays active. A code still succeeds at most once, because it is
 *    consumed while step 2 runs.
 *
 * Rejected designs: subscribing before the code is consumed (fifty concurrent callers would subscribe, and the losers would fail
 * visibly), and leaving the channel active after a failure (it would look healthy and never receive anything).
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { requireOperable } from '../../domain/licences/operability.ts';
import { sleep } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import { unsubscribeLater } from '../channels/deactivate.ts';
import { checkWebhookPatch, newWebhookSecret, settingsFrom } from '../channels/webhook-settings.ts';
import type { Caller } from '../caller.ts';
import type { ChannelWithSecret, WebhookPatch } from '../channels/types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { noteChannelWords } from '../operating/account-words.ts';
import { toTemplateOwner } from '../templates/find.ts';
import { restoreCode } from './restore-code.ts';
import type { UsedCode } from './restore-code.ts';
import { parseExchangeCode } from './secrets.ts';
import type { KnownCode } from './secrets.ts';
import type { ExchangeRequest } from './types.ts';

const pausesBeforeSubscribingMs = [0, 200, 1_000];

/**
 * Throws 400 `code_not_valid` (unknown, expired, used or of another account: the same answer), 402 `licence_inactive`, 422, 502
 * `upstream_failed`. A 402 or 422 does not consume the code.
 */
export async function exchangeCode(
  deps: UseCaseDeps,
  caller: Caller,
  request: ExchangeRequest,
): Promise<ChannelWithSecret> {
  const code = parseExchangeCode(request.code);
  if (code === null) throw fault('code_not_valid');
  await requireOperableSlot(deps, caller, code);
  const secret = secretFor(request);
  const exchanged = await exchange(deps, caller, code.hash, givenIn(request), secret);
  if (exchanged === null) throw fault('code_not_valid');
  const { channel, wasActive } = exchanged;
  await announceChange(deps, channel.id);
  await noteChannelWords(deps, channel);
  await clearProblems(deps, channel);
  await subscribeOrRestoreCode(deps, caller, channel, { ...code, wasActive });
  await unsubscribeIfDeleted(deps, caller, channel);
  await askForTemplates(deps, channel);
  return { channel, webhookSecret: secret ?? null };
}

/** [spec: 402] The licence may have ended since the dialog: the channel would be active and unusable. */
async function requireOperableSlot(deps: UseCaseDeps, caller: Caller, { hash }: KnownCode): Promise<void> {
  const { accountId } = caller;
  const now = deps.clock.now();
  const reserved = await deps.stores.channels.reservedBy({ hash, accountId }, now);
  if (reserved === null) throw fault('code_not_valid');
  const licence = await deps.stores.subscriptions.byId(reserved.subscriptionId);
  requireOperable(licence, now, deps.settings.graceMs);
}

/**
 * A concurrent DELETE may have found no subscription to remove. [spec: Channel activity] Never throws: the code is consumed
 * and the channel connected, so the client must get the channel.
 */
async function unsubscribeIfDeleted(deps: UseCaseDeps, caller: Caller, channel: Channel): Promise<void> {
  try {
    const now = await deps.stores.channels.inAccount(channel.id, caller.accountId);
    if (now?.isActive === false) await unsubscribeLater(deps, channel);
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.activity-not-checked');
  }
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

/** What upstream told of the channel was about the access before. Never throws: probes clear what is over, too. */
async function clearProblems(deps: UseCaseDeps, channel: Channel): Promise<void> {
  try {
    await deps.stores.health.clearProblems(channel.id, 'all');
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.problems-not-cleared');
  }
}

async function exchange(
  deps: UseCaseDeps,
  caller: Caller,
  hash: string,
  patch: WebhookPatch,
  secret: string | undefined,
): Promise<{ channel: Channel; wasActive: boolean } | null> {
  const code = { hash, accountId: caller.accountId };
  let wasActive = false;
  const channel = await deps.stores.channels.exchange(code, deps.clock.now(), (reserved) => {
    wasActive = reserved.isActive;
    checkWebhookPatch(reserved.channelType, patch);
    return settingsFrom(deps, reserved, patch, secret);
  });
  return channel === null ? null : { channel, wasActive };
}

/**
 * null means "not given", because a new channel has nothing to clear and a revived one keeps its settings. A URL starts a new
 * configuration: without events beside it there are none. [spec: ExchangeCodeRequest; operator-interface §4]
 */
function givenIn({ webhookUrl, webhookSecret, webhookEvents }: ExchangeRequest): WebhookPatch {
  return {
    webhookUrl: webhookUrl ?? undefined,
    webhookSecret: webhookSecret ?? undefined,
    webhookEvents: webhookEvents ?? (webhookUrl == null ? undefined : null),
  };
}

/** [spec: ExchangeCodeRequest] Generated if a URL is given without a secret, also for a channel that has one. */
function secretFor({ webhookUrl, webhookSecret }: ExchangeRequest): string | undefined {
  if (webhookSecret != null) return webhookSecret;
  return webhookUrl == null ? undefined : newWebhookSecret();
}

async function subscribeOrRestoreCode(
  deps: UseCaseDeps,
  caller: Caller,
  channel: Channel,
  code: UsedCode,
): Promise<void> {
  const failure = await subscribe(deps, channel);
  if (failure === null) return;
  deps.log.warn({ channel: channel.id, error: failure }, 'exchange.subscribe-failed');
  await restoreCode(deps, caller, channel, code);
  throw failure instanceof Fault ? failure : fault('upstream_failed');
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
    }
  }
  return failure;
}
