/**
 * The one-time code becomes a connected channel. [spec: exchange-code; faults: 77, 78]
 *
 * Order, and what is left when the node dies in between:
 * 1. `exchange` consumes the code and connects the channel in one store operation; everything that could refuse the request
 *    is checked inside it, so that a 422 does not burn the code.
 *    Dies after it → the channel is active and listed, but upstream may not send its events yet. A retry is a clean
 *    `code_not_valid`; DELETE and a new setup flow bring the same channel id back. Slot and claim are never lost.
 * 2. `subscribe` upstream, tried three times. It is idempotent there.
 * 3. When it fails for good, the code is given back: the channel is inactive (it can't receive, and says so) and the same
 *    code is valid for the rest of its five minutes. The client gets 502, "retry may help", and the same call again returns
 *    the same channel on any node. A channel that was active before (reconnected) stays so: it is no worse off than it was. There is still one success per code at most: while step 2 runs the code is consumed.
 *
 * Rejected: subscribing before the code is consumed (fifty racers would subscribe, and losers' failures would show), and
 * leaving the channel active after a failure (it would look healthy and never receive anything).
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { requireOperable } from '../../domain/licences/operability.ts';
import { sleep } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import { unsubscribeLater } from '../channels/unsubscribe.ts';
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
 * Throws 400 `code_not_valid` (unknown, expired, replayed, of another account: one answer), 402 `licence_inactive`, 422, 502
 * `upstream_failed`. A 402 or 422 does not burn the code.
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
  await subscribeOrRestoreCode(deps, caller, channel, { ...code, wasActive });
  await unsubscribeIfDeleted(deps, caller, channel);
  await askForTemplates(deps, channel);
  return { channel, webhookSecret: secret ?? null };
}

/** [spec: 402] The licence may have ended since the dialog: the channel would be active and could do nothing. */
async function requireOperableSlot(deps: UseCaseDeps, caller: Caller, { hash }: KnownCode): Promise<void> {
  const { accountId } = caller;
  const now = deps.clock.now();
  const reserved = await deps.stores.channels.reservedBy({ hash, accountId }, now);
  if (reserved === null) throw fault('code_not_valid');
  const licence = await deps.stores.subscriptions.byId(reserved.subscriptionId);
  requireOperable(licence, now, deps.settings.graceMs);
}

/**
 * A DELETE that came while we subscribed found nothing to remove yet. [spec: Channel activity] Never throws: the code is used up
 * and the channel connected, so the client must hear of it.
 */
async function unsubscribeIfDeleted(deps: UseCaseDeps, caller: Caller, channel: Channel): Promise<void> {
  try {
    const now = await deps.stores.channels.inAccount(channel.id, caller.accountId);
    if (now?.isActive === false) await unsubscribeLater(deps, channel);
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.activity-not-checked');
  }
}

/** Read in the background: what is sent first must not wait for it. Never throws: a send that lacks one asks by itself. */
async function askForTemplates(deps: UseCaseDeps, channel: Channel): Promise<void> {
  if (!kindOf(channel.channelType).canSend.has('template')) return;
  try {
    await deps.stores.templates.askForSync(toTemplateOwner(channel), deps.clock.now());
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'exchange.templates-not-asked-for');
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
 * There is nothing to clear yet, so null means "not given": a channel that comes back keeps the settings it had. A URL is a new
 * configuration: events that are not given with it are none. [spec: ExchangeCodeRequest; operator-interface §4]
 */
function givenIn({ webhookUrl, webhookSecret, webhookEvents }: ExchangeRequest): WebhookPatch {
  return {
    webhookUrl: webhookUrl ?? undefined,
    webhookSecret: webhookSecret ?? undefined,
    webhookEvents: webhookEvents ?? (webhookUrl == null ? undefined : null),
  };
}

/** [spec: ExchangeCodeRequest] Made whenever a URL is given without one, also for a channel that had one before. */
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
