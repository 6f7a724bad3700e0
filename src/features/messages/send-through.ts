import { kindOf } from '../../rules/channels/kinds.ts';
import { requireOperable, requireTier } from '../../rules/licences/operability.ts';
import { tierFor } from '../../rules/messages/content.ts';
import type { Content, ContentType } from '../../rules/messages/content.ts';
import { Fault, fault, OwnerLost } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { ChannelAsk } from '../../../actors/channel/asks.ts';
import { hasNames } from '../../rules/messages/recipient-names.ts';
import type { SendReply } from '../../rules/messages/send-reply.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { addExtras } from './extras.ts';
import { sendOnce } from './send-once.ts';
import type { SendAnswer, SendCommand } from './types.ts';
import { putOnRecord, settleRefused } from './settle-send.ts';
import { noSuchChannel } from '../channels/index.ts';
import type { ChannelWithLicence } from '../channels/index.ts';

/** A send, before the channel is known. */
interface SendRequest {
  type: ContentType;
  /** All parts of the request except channel and recipient, to compare requests with the same `Idempotency-Key`. */
  body: readonly unknown[];
  /** Called after the checks of the channel. Throws the fault that refuses the content. */
  contentFor(channel: Channel, recipient: string): Content | Promise<Content>;
}

/**
 * Common path of all sends: check → ask the channel's owner → answer, once per `Idempotency-Key`. [spec: Sending messages; architecture
 * §3a, §5] Throws 402 `account_suspended`, 404 `not_found`, 400 `channel_inactive`, 402 `licence_inactive`, 400 `wrong_channel_type`, 402
 * `tier_too_low`, 400 `invalid_recipient`, `recipient_equals_sender`, the faults of `contentFor`, 409 `conflict` (Idempotency-Key), the
 * faults of `addExtras`, 503: then nothing was sent. Upstream's refusal is a result, not a fault. Throws OwnerLost if owner and store are
 * both lost: then the outcome is unknown.
 */
export function sendThrough(
  world: World,
  caller: Caller,
  command: SendCommand,
  request: SendRequest,
): Promise<SendAnswer> {
  const { idempotencyKey: key, channelId, recipient, extras = null } = command;
  const asked = { caller, command, request };
  if (key === null) return sendAs(world, asked, newId());
  return sendOnce(
    world,
    caller,
    { key, body: [channelId, recipient, ...request.body, ...(extras === null ? [] : [extras])] },
    {
      send: (messageId) => sendAs(world, asked, messageId),
      sendAgain: (messageId) => sendAgainAs(world, asked, messageId),
    },
  );
}

interface SendInput {
  caller: Caller;
  command: SendCommand;
  request: SendRequest;
}

/** The request to the channel's owner. */
type CheckedSend = Extract<ChannelAsk, { type: 'send' }>;

async function sendAs(world: World, asked: SendInput, messageId: string): Promise<SendAnswer> {
  const { channel, send } = await check(world, asked, messageId);
  let reply: SendReply | null;
  try {
    reply = await world.router.ask(channel.id, send);
  } catch (error) {
    reply = await settleLost(world, channel, send, error);
  }
  if (reply === null) throw fault('unavailable');
  // Most sends name the recipient as upstream does, and a spread costs each of them.
  if (reply.status === 'queued' || (reply.status === 'sent' && !hasNames(reply)))
    return { messageId, status: reply.status };
  if (reply.status === 'sent') world.personNames.answered(channel, send.recipient, reply);
  return { messageId, ...reply };
}

/** A 503 for a repeated id means that the id is abandoned or the owner is out of reach: the store decides. */
async function sendAgainAs(world: World, asked: SendInput, messageId: string): Promise<SendAnswer | null> {
  const { channel, send } = await check(world, asked, messageId);
  const asking: Promise<SendReply | null> = world.router.ask(channel.id, send);
  const reply = await asking
    .catch((error: unknown) => settleLost(world, channel, send, error))
    .catch((error: unknown) => {
      if (!(error instanceof Fault && error.code === 'unavailable')) throw error;
      return settleRefused(world, channel, send, error);
    });
  return reply === null ? null : { messageId, ...reply };
}

interface Checked {
  channel: Channel;
  send: CheckedSend;
}

async function check(world: World, asked: SendInput, messageId: string): Promise<Checked> {
  const { command, request } = asked;
  const { accountId } = asked.caller;
  const { channelId, requestId, extras = null } = command;
  if (!world.suspensions.isRunning(accountId)) await world.suspensions.requireRunning(accountId);
  const found = await world.channelCache.inAccount(channelId, accountId);
  const channel = channelFor(world, found, request);
  const recipient = kindOf(channel.channelType).checkRecipient(command.recipient, channel);
  const given = await request.contentFor(channel, recipient);
  const content =
    extras === null ? given : await addExtras(world, channel, { content: given, recipient }, extras);
  return { channel, send: { type: 'send', messageId, recipient, content, requestId } };
}

/** Returns the channel if it may send this content type. */
function channelFor(world: World, found: ChannelWithLicence | null, { type }: SendRequest): Channel {
  if (found === null) throw noSuchChannel();
  const { channel, subscription } = found;
  const { channelType, isActive } = channel;
  // Checked before licence and activity, because no licence would make it possible.
  if (!kindOf(channelType).canSend.has(type))
    throw fault('wrong_channel_type', { channel_type: channelType });
  if (!isActive) throw fault('channel_inactive');
  const licence = requireOperable(subscription, world.clock.now(), world.settings.graceMs);
  requireTier(licence, tierFor(type));
  return channel;
}

/** Outcome of a send whose owner was lost or not found in time. null: nothing was sent and never will be. */
function settleLost(
  world: World,
  channel: Channel,
  send: CheckedSend,
  error: unknown,
): Promise<SendReply | null> {
  if (!(error instanceof OwnerLost)) throw error;
  return putOnRecord(world, channel, send, error);
}
