/** What upstream tells of an inbound message beside its text and files. Bounded by the parser; what upstream does not tell is absent. */

export interface MessageContext {
  /** Business-scoped id of the sender, beside the phone number. */
  userId?: string;
  /** Name that the sender has chosen at the platform. */
  username?: string;
  replyTo?: ReplyTo;
  referral?: Referral;
}

/** The message or the story that the person answers. */
export interface ReplyTo {
  upstreamId?: string;
  /** Our id of that message, if it is known. */
  messageId?: string;
  story?: { id?: string; url?: string };
}

/** Where the person came from: an ad, a post, a link, or a product of the catalogue. */
export interface Referral {
  /** `ad`, `post`, or another word of upstream's, in lower case. */
  source?: string;
  sourceId?: string;
  sourceUrl?: string;
  headline?: string;
  body?: string;
  mediaType?: string;
  mediaUrl?: string;
  /** Upstream's id of the click, to report a conversion. */
  clickId?: string;
  /** The text that the business put into its link or ad. */
  ref?: string;
  productId?: string;
  catalogId?: string;
}

/** A pressed button, chosen row or quick reply. `id`: what the business gave it. */
export interface Button {
  id?: string;
  title?: string;
}
