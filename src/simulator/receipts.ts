/** Statuses of messages, and what people read. */
import { contactOf, emitMessaging, emitPhone, fromPerson, given, type Heard } from './events.ts';
import type { Channel, Phone, Sent } from './model.ts';
import { identityOf } from './user-ids.ts';
import type { World } from './world.ts';

/** One status of a chatapp message; `error` is for `failed`. `group`: the message was sent to it, and `to` is one of its people. */
type Status = {
  readonly id: string;
  readonly to: string;
  readonly status: string;
  readonly tag: string | null;
  readonly at: number;
  readonly error?: { readonly code: number; readonly title: string; readonly details?: string | undefined };
  readonly group?: string | undefined;
};

/** A status as upstream words it [upstream protocol 4.3]. */
export function wordStatus(world: World, phone: Phone, status: Status): Record<string, unknown> {
  const { waId, userId, parentUserId } = identityOf(world, phone, status.to);
  return {
    id: status.id,
    status: status.status,
    timestamp: String(Math.floor(status.at / 1000)),
    ...(status.group === undefined
      ? given({ recipient_id: waId, recipient_user_id: userId, recipient_parent_user_id: parentUserId })
      : groupRecipient(status.group, waId, userId)),
    ...(status.tag === null ? {} : { biz_opaque_callback_data: status.tag }),
    ...(status.status === 'sent'
      ? { pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' } }
      : {}),
    ...(status.error ? { errors: [statusError(status.error)] } : {}),
  };
}

// [upstream protocol 4.3] The recipient of a group status is the group; each participant has a status of its own.
function groupRecipient(
  group: string,
  waId: string | undefined,
  userId: string | undefined,
): Record<string, unknown> {
  return given({
    recipient_id: group,
    recipient_type: 'group',
    recipient_participant_id: waId,
    recipient_participant_user_id: userId,
  });
}

/** Emits one status of a chatapp message. */
export function emitStatus(world: World, phone: Phone, status: Status, heard?: Heard): boolean {
  // [upstream protocol 4.3, 9.1] Documented as absent on `failed`, but seen there.
  const isBare = status.error !== undefined && !world.settings.failed_contacts;
  const contacts = isBare ? {} : { contacts: [contactOf(world, phone, status.to)] };
  const value = { ...contacts, statuses: [wordStatus(world, phone, status)] };
  return emitPhone(world, phone, { field: 'messages', kind: `status:${status.status}`, value }, heard);
}

function statusError(error: {
  readonly code: number;
  readonly title: string;
  readonly details?: string | undefined;
}): Record<string, unknown> {
  return {
    code: error.code,
    title: error.title,
    message: error.title,
    error_data: { details: error.details ?? error.title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}

const rank = { accepted: 0, sent: 1, delivered: 2, read: 3, failed: 4 };

/** Sets the status if it is higher than the current one. */
export function raise(world: World, sent: Sent, status: Sent['status']): void {
  if (rank[status] <= rank[sent.status]) return;
  sent.status = status;
  world.sends.wake();
}

/** A person reads: emits `read` for each unread message that arrived (chatapp), or one receipt for the conversation. Returns the number of webhooks. */
export function emitReads(
  world: World,
  channel: Channel,
  personId: string,
  onlyId: string | undefined,
  heard?: Heard,
): number {
  const conversation = world.conversation(channel.id, personId);
  const isMeant = (message: { readonly id: string }): boolean =>
    onlyId === undefined || message.id === onlyId;
  const read = conversation.unread.filter((message) => isMeant(message) && message.sent?.status !== 'failed');
  const last = read.at(-1);
  conversation.unread = conversation.unread.filter((message) => !isMeant(message));
  for (const message of read) if (message.sent) raise(world, message.sent, 'read');
  const at = world.now();
  if (channel.type === 'phone') {
    return read.filter(({ id, sent }) =>
      emitStatus(world, channel, { id, to: personId, status: 'read', tag: sent?.tag ?? null, at }, heard),
    ).length;
  }
  if (!last) return 0;
  const member = channel.type === 'page' ? { watermark: at } : { mid: last.id };
  const item = fromPerson(channel, personId, at, { read: member });
  return emitMessaging(world, channel, 'read', item, conversation, heard) ? 1 : 0;
}
