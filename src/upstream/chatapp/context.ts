/** What a chatapp message answers, where its sender came from, and the sender's other names. [upstream §4.1] */
import type { MessageContext, Referral, ReplyTo } from '../../rules/messages/message-context.ts';
import { asLink, asWords, present } from '../bounded.ts';
import { asId, asRecord } from '../read.ts';
import type { Json } from '../read.ts';
import type { Named } from './names.ts';

/** Shared by all messages without any of it. */
const nothing: MessageContext = {};

export function readMessageContext(message: Json, named: Named | null): MessageContext {
  const { context, referral } = message;
  const userId = asId(message['from_user_id']) ?? named?.userId ?? null;
  const username = named?.username ?? null;
  if (context === undefined && referral === undefined && userId === null && username === null) return nothing;
  const quoted = asRecord(context);
  const found: MessageContext = {};
  if (userId !== null) found.userId = userId;
  if (username !== null) found.username = username;
  const replyTo = readReplyTo(quoted);
  if (replyTo !== undefined) found.replyTo = replyTo;
  const came = readReferral(asRecord(referral), asRecord(quoted?.['referred_product']));
  if (came !== undefined) found.referral = came;
  return found;
}

/** A forwarded message has a context without an id. */
function readReplyTo(context: Json | null): ReplyTo | undefined {
  const upstreamId = asId(context?.['id']);
  return upstreamId === null ? undefined : { upstreamId };
}

/** `product`: the person asks about it from the catalogue. */
function readReferral(referral: Json | null, product: Json | null): Referral | undefined {
  if (referral === null && product === null) return undefined;
  return present({
    source: asWords(referral?.['source_type'])?.toLowerCase() ?? (product === null ? undefined : 'product'),
    sourceId: asWords(referral?.['source_id']),
    sourceUrl: asLink(referral?.['source_url']),
    headline: asWords(referral?.['headline']),
    body: asWords(referral?.['body']),
    mediaType: asWords(referral?.['media_type']),
    mediaUrl: asLink(referral?.['image_url'] ?? referral?.['video_url'] ?? referral?.['thumbnail_url']),
    clickId: asWords(referral?.['ctwa_clid']),
    productId: asWords(product?.['product_retailer_id']),
    catalogId: asWords(product?.['catalog_id']),
  });
}
