import { kindOf } from '../../domain/channels/kinds.ts';
import { requireOperable } from '../../domain/licences/operability.ts';
import { Fault, fault, OwnerLost } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { SendReply } from '../../../actors/channel/messages.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Content } from '../../domain/messages/message.ts';
import type { Caller } from '../caller.ts';
import type { ChannelWithLicence } from '../channels/use-cases.ts';
import type { SendAnswer, SendTextCommand } from './use-cases.ts';
import type { UseCaseDeps } from '../deps.ts';
import { sendOnce } from './send-once.ts';
import { settleSend } from './settle-send.ts';

/**
 * Sends a text through a connected channel. [spec: Sending messages; architecture §3a, §5]
 * Throws 404 `not_found`, 400 `channel_inactive`, 402 `licence_inactive`, 400 `invalid_recipient`, `recipient_equals_sender`,
 * `text_too_long`, 409 `conflict` (Idempotency-Key), 503: then nothing was sent. What upstream says is in the answer. Throws
 * OwnerLost when the owner and the store vanished: then nobody knows.
 */
export async function sendText(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendTextCommand,
): Promise<SendAnswer> {
  if (command.idempotencyKey === null) return sendAs(deps, caller, command, newId());
  const body = [command.channelId, command.recipient, command.text];
  return sendOnce(
    deps,
    caller,
    { key: command.idempotencyKey, body },
    {
      send: (messageId) => sendAs(deps, caller, command, messageId),
      sendAgain: (messageId) => sendAgainAs(deps, caller, command, messageId),
    },
  );
}

interface CheckedSend {
  messageId: string;
  recipient: string;
  content: Content;
}

async function sendAs(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<SendAnswer> {
  const { channel, send } = await check(deps, caller, command, messageId);
  const reply = await askOwner(deps, channel, send);
  if (reply === null) throw fault('unavailable');
  return { messageId, ...reply };
}

/** An owner that refuses an id it was asked for before has found it abandoned, or can't be reached: the store says which. */
async function sendAgainAs(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<SendAnswer | null> {
  const { channel, send } = await check(deps, caller, command, messageId);
  const reply = await askOwner(deps, channel, send).catch((error: unknown) => {
    if (!(error instanceof Fault && error.code === 'unavailable')) throw error;
    return settleSend(deps, channel, send, error);
  });
  return reply === null ? null : { messageId, ...reply };
}

async function check(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendTextCommand,
  messageId: string,
): Promise<{ channel: Channel; send: CheckedSend }> {
  const { channel, subscription } = await usableChannel(deps, caller, command.channelId);
  requireOperable(subscription, deps.clock.now(), deps.settings.graceMs);
  const kind = kindOf(channel.channelType);
  const recipient = kind.checkRecipient(command.recipient, channel);
  const text = kind.checkText(command.text);
  return { channel, send: { messageId, recipient, content: { type: 'text', text } } };
}

/** null: the owner vanished, nothing was sent and never will be. */
async function askOwner(deps: UseCaseDeps, channel: Channel, send: CheckedSend): Promise<SendReply | null> {
  try {
    return await deps.router.ask(channel.id, { type: 'send', ...send });
  } catch (error) {
    if (!(error instanceof OwnerLost)) throw error;
    return settleSend(deps, channel, send, error);
  }
}

async function usableChannel(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
): Promise<ChannelWithLicence> {
  const known = await deps.channelCache.inAccount(channelId, caller.accountId);
  if (known === null) throw fault('not_found', { what: 'Channel' });
  if (!known.channel.isActive) throw fault('channel_inactive');
  return known;
}
