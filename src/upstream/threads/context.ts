/** What a message to a page or photo account answers, and where its sender came from. [upstream §4.7, §4.8] */
import type { MessageContext, Referral, ReplyTo } from '../../rules/messages/message-context.ts';
import { asLink, asWords, present } from '../bounded.ts';
import { asId, asRecord } from '../read.ts';
import type { Json } from '../read.ts';

/** Shared by all messages without any of it. */
const nothing: MessageContext = {};

/** `given`: a `message` or a `postback`. */
export function readThreadContext(given: Json): MessageContext {
  const { reply_to: answered, referral } = given;
  if (answered === undefined && referral === undefined) return nothing;
  const found: MessageContext = {};
  const replyTo = readReplyTo(asRecord(answered));
  if (replyTo !== undefined) found.replyTo = replyTo;
  const came = readReferral(asRecord(referral));
  if (came !== undefined) found.referral = came;
  return found;
}

function readReplyTo(answered: Json | null): ReplyTo | undefined {
  if (answered === null) return undefined;
  const told = asRecord(answered['story']);
  return present({
    upstreamId: asId(answered['mid']) ?? undefined,
    story: told === null ? undefined : present({ id: asWords(told['id']), url: asLink(told['url']) }),
  });
}

function readReferral(referral: Json | null): Referral | undefined {
  if (referral === null) return undefined;
  const ad = asRecord(referral['ads_context_data']);
  const source = asWords(referral['source'])?.toLowerCase();
  return present({
    source: source === 'ads' ? 'ad' : source,
    sourceId: asWords(referral['ad_id']),
    sourceUrl: asLink(referral['referer_uri']),
    headline: asWords(ad?.['ad_title']),
    mediaUrl: asLink(ad?.['photo_url'] ?? ad?.['video_url']),
    ref: asWords(referral['ref']),
    productId: asWords(asRecord(referral['product'])?.['id'] ?? ad?.['product_id']),
  });
}
