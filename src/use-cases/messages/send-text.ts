import { kindOf } from '../../domain/channels/index.ts';
import { requireOperable } from '../../domain/licences/index.ts';
import { Fault, fault, OwnerLost } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SendReply } from '../../../actors/channel/messages.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Content } from '../../domain/messages/message.ts';
import type { Caller, ChannelWithLicence, SendAnswer, SendTextCommand } from '../index.ts';
import type { CachedWorld } from '../world.ts';
import { sendOnce } from './send-once.ts';
import { settleSend } from './settle-send.ts';

/**
 * Sends a text through a connected channel. [spec: Sending messages; architecture §3a, §5]
 * Throws 404 `not_found`, 400 `channel_inactive`, 402 `licence_inactive`, 400 `invalid_recipient`, `recipient_equals_sender`,
 * `text_too_long`, 409 `conflict` (Idempotency-Key), 503: then nothing was sent. What upstream says is in the answer. Throws
 * OwnerLost when the owner and the store vanished: then nobody knows.
 */
export async function sendText(
  world: CachedWorld,
  caller: Caller,
  command: SendTextCommand,
): Promise<SendAnswer> {
  if (command.idempotencyKey === null) return sendAs(world, caller, command, newId());
  const body = [command.channelId, command.recipient, command.text];
  return sendOnce(
    world,
    caller,
    { key: command.idempotencyKey, body },
    {
      send: (messageId) => sendAs(world, caller, command, messageId),
      sendAgain: (messageId) => sendAgainAs(world, caller, command, messageId),
    },
  );
}

interface CheckedSend {
  messageId: string;
  recipient: string;
  content: Content;
}

async function sendAs(
  world: CachedWorld,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<SendAnswer> {
  const { channel, send } = await check(world, caller, command, messageId);
  const reply = await askOwner(world, channel, send);
  if (reply === null) throw fault('unavailable');
  return { messageId, ...reply };
}

/** An owner that refuses an id it was asked for before has found it abandoned, or can't be reached: the store says which. */
async function sendAgainAs(
  world: CachedWorld,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<SendAnswer | null> {
  const { channel, send } = await check(world, caller, command, messageId);
  const reply = await askOwner(world, channel, send).catch((error: unknown) => {
    if (!(error instanceof Fault && error.code === 'unavailable')) throw error;
    return settleSend(world, channel, send, error);
  });
  return reply === null ? null : { messageId, ...reply };
}

async function check(
  world: CachedWorld,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<{ channel: Channel; send: CheckedSend }> {
  const { channel, subscription } = await usableChannel(world, caller, command.channelId);
  requireOperable(subscription, world.clock.now(), world.settings.graceMs);
  const kind = kindOf(channel.channelType);
  const recipient = kind.checkRecipient(command.recipient, channel);
  const text = kind.checkText(command.text);
  return { channel, send: { messageId, recipient, content: { type: 'text', text } } };
}

/** null: the owner vanished, nothing was sent and never will be. */
async function askOwner(world: CachedWorld, channel: Channel, send: CheckedSend): Promise<SendReply | null> {
  try {
    return await world.router.ask(channel.id, { type: 'send', ...send });
  } catch (error) {
    if (!(error instanceof OwnerLost)) throw error;
    return settleSend(world, channel, send, error);
  }
}

async function usableChannel(
  world: CachedWorld,
  caller: Caller,
  channelId: string,
): Promise<ChannelWithLicence> {
  const known = await world.channelCache.inAccount(channelId, caller.accountId);
  if (known === null) throw fault('not_found', { what: 'Channel' });
  if (!known.channel.isActive) throw fault('channel_inactive');
  return known;
}
