/** What photoapp and pagechat share: conversations with scoped user ids. */
import type { EventType } from '../../vocabulary.ts';
import type { ContentType, MediaContent } from '../../messages/content.ts';
import type { Pace } from '../pace.ts';
import { requireDigits } from '../recipient.ts';

/** Far above the 17 digits seen, far below what could hurt. */
const maxScopedId = 64;
const hint = 'Send the numeric user id exactly as it came in data.from of a received message.';

/** [spec: Event types] There is neither a sent report nor a failure report upstream. */
export const threadEvents: readonly EventType[] = [
  'message.received',
  'message.echo',
  'message.delivered',
  'message.read',
];

/** [upstream §3.8] Of a page or account; a quarter of a second of it at once: fewer than a channel's calls. */
export const threadPace: Pace = { gapMs: 1_000 / 300, burst: 75 };
/** Audio and video. */
export const clipPace: Pace = { gapMs: 1_000 / 10, burst: 5 };

export const threadContents: ReadonlySet<ContentType> = new Set(['text', 'media']);

/** A file stands alone in a conversation. [upstream §3.3: there is no caption] */
export function withoutTexts(media: MediaContent): MediaContent {
  return { ...media, caption: null, filename: null };
}

/** A scoped user id, unchanged. Throws fault `invalid_recipient`. [spec: Errors] */
export function checkScopedId(raw: string): string {
  return requireDigits(raw, maxScopedId, hint);
}
