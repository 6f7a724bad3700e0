import { kindOf } from '../../domain/channels/kinds.ts';
import { requireOperable, requireTier } from '../../domain/licences/operability.ts';
import { tierFor } from '../../domain/messages/content.ts';
import type { Content, ContentType } from '../../domain/messages/content.ts';
import { Fault, fault, OwnerLost } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { ChannelAsk } from '../../../actors/channel/asks.ts';
import type { SendReply } from '../../domain/messages/send-reply.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Caller } from '../caller.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { ChannelWithLicence } from '../channels/types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { sendOnce } from './send-once.ts';
import type { SendAnswer, SendCommand } from './types.ts';
import { putOnRecord, settleRefused } from './settle-send.ts';

/** What one of the three sends asks for, before anything is known of the channel. */
interface SendRequest {
  type: ContentType;
  /** Everything of the request but channel and recipient: with an `Idempotency-Key` it must be the same again. */
  body: readonly unknown[];
  /** Asked once the channel may send it. Throws what the content is refused for. */
  contentFor(channel: Channel): Content | Promise<Content>;
}

/**
 * The one way of every send: check → ask the channel's owner → answer, once per `Idempotency-Key`. [spec: Sending messages;
 * architecture §3a, §5] Throws 402 `account_suspended`, 404 `not_found`, 400 `channel_inactive`, 402 `licence_inactive`, 400 `wrong_channel_type`, 402
 * `tier_too_low`, 400 `invalid_recipient`, `recipient_equals_sender`, what `contentFor` throws, 409 `conflict`
 * (Idempotency-Key), 503: then nothing was sent. What upstream says is in the answer. Throws OwnerLost when the owner and the
 * store vanished: then nobody knows.
 */
export function sendThrough(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendCommand,
  request: SendRequest,
): Promise<SendAnswer> {
  const { idempotencyKey: key, channelId, recipient } = command;
  const asked = { caller, command, request };
  if (key === null) return sendAs(deps, asked, newId());
  return sendOnce(
    deps,
    caller,
    { key, body: [channelId, recipient, ...request.body] },
    {
      send: (messageId) => sendAs(deps, asked, messageId),
      sendAgain: (messageId) => sendAgainAs(deps, asked, messageId),
    },
  );
}

interface SendInput {
  caller: Caller;
  command: SendCommand;
  request: SendRequest;
}

/** What its owner is asked. */
type CheckedSend = Extract<ChannelAsk, { type: 'send' }>;

async function sendAs(deps: UseCaseDeps, asked: SendInput, messageId: string): Promise<SendAnswer> {
  const { channel, send } = await check(deps, asked, messageId);
  let reply: SendReply | null;
  try {
    reply = await deps.router.ask(channel.id, send);
  } catch (error) {
    reply = await settleLost(deps, channel, send, error);
  }
  if (reply === null) throw fault('unavailable');
  return reply.status === 'failed' ? { messageId, ...reply } : { messageId, status: reply.status };
}

/** An owner that refuses an id it was asked for before has found it abandoned, or can't be reached: the store says which. */
async function sendAgainAs(
  deps: UseCaseDeps,
  asked: SendInput,
  messageId: string,
): Promise<SendAnswer | null> {
  const { channel, send } = await check(deps, asked, messageId);
  const asking: Promise<SendReply | null> = deps.router.ask(channel.id, send);
  const reply = await asking
    .catch((error: unknown) => settleLost(deps, channel, send, error))
    .catch((error: unknown) => {
      if (!(error instanceof Fault && error.code === 'unavailable')) throw error;
      return settleRefused(deps, channel, send, error);
    });
  return reply === null ? null : { messageId, ...reply };
}

interface Checked {
  channel: Channel;
  send: CheckedSend;
}

async function check(deps: UseCaseDeps, asked: SendInput, messageId: string): Promise<Checked> {
  const { command, request } = asked;
  const { accountId } = asked.caller;
  const { channelId, requestId } = command;
  if (!deps.suspensions.isRunning(accountId)) await deps.suspensions.requireRunning(accountId);
  const found = await deps.channelCache.inAccount(channelId, accountId);
  const channel = channelFor(deps, found, request);
  const recipient = kindOf(channel.channelType).checkRecipient(command.recipient, channel);
  const content = await request.contentFor(channel);
  return { channel, send: { type: 'send', messageId, recipient, content, requestId } };
}

/** The channel, when it may send this now. */
function channelFor(deps: UseCaseDeps, found: ChannelWithLicence | null, { type }: SendRequest): Channel {
  if (found === null) throw noSuchChannel();
  const { channel, subscription } = found;
  const { channelType, isActive } = channel;
  // Before licence and activity: no licence would ever make it possible.
  if (!kindOf(channelType).canSend.has(type))
    throw fault('wrong_channel_type', { channel_type: channelType });
  if (!isActive) throw fault('channel_inactive');
  const licence = requireOperable(subscription, deps.clock.now(), deps.settings.graceMs);
  requireTier(licence, tierFor(type));
  return channel;
}

/** Of an owner that vanished, or was not found in time. null: nothing was sent and never will be. */
function settleLost(
  deps: UseCaseDeps,
  channel: Channel,
  send: CheckedSend,
  error: unknown,
): Promise<SendReply | null> {
  if (!(error instanceof OwnerLost)) throw error;
  return putOnRecord(deps, channel, send, error);
}
