/** What a message answers, where its sender came from, and the sender's other names, as members of events. [spec: Additions] */
import type { MessageContext, Referral, ReplyTo } from '../messages/message-context.ts';

/** Shared by all messages without any of it. */
const nothing: Readonly<Record<string, unknown>> = {};

export function writeNames({ userId, username }: MessageContext): Readonly<Record<string, unknown>> {
  if (userId === undefined && username === undefined) return nothing;
  return {
    ...(userId === undefined ? {} : { from_user_id: userId }),
    ...(username === undefined ? {} : { from_username: username }),
  };
}

export function writeContext({ replyTo, referral }: MessageContext): Readonly<Record<string, unknown>> {
  if (replyTo === undefined && referral === undefined) return nothing;
  return {
    ...(replyTo === undefined ? {} : { reply_to: writeReplyTo(replyTo) }),
    ...(referral === undefined ? {} : { referral: writeReferral(referral) }),
  };
}

/** Our id where the message is known, otherwise upstream's. */
function writeReplyTo({ messageId, upstreamId, story }: ReplyTo): Record<string, unknown> {
  if (story !== undefined) return { story };
  return messageId === undefined ? { upstream_message_id: upstreamId } : { message_id: messageId };
}

const referralNames = {
  source: 'source',
  sourceId: 'source_id',
  sourceUrl: 'source_url',
  headline: 'headline',
  body: 'body',
  mediaType: 'media_type',
  mediaUrl: 'media_url',
  clickId: 'ctwa_clid',
  ref: 'ref',
  productId: 'product_id',
  catalogId: 'catalog_id',
} as const satisfies Record<keyof Referral, string>;

/** Names of the members of `referral`, in the order of the event. */
export const referralMembers = Object.values(referralNames);

function writeReferral(referral: Referral): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  let member: keyof Referral;
  for (member in referralNames)
    if (referral[member] !== undefined) written[referralNames[member]] = referral[member];
  return written;
}
