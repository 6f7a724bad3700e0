/** Common part of photoapp and pagechat: conversations with scoped user ids. */
import { mib } from '../../kernel/bytes.ts';
import type { InteractiveRules } from '../messages/interactive.ts';
import type { ChannelKind, Pace } from './kind.ts';
import { maxScopedId, requireDigits, requireShort } from './recipient.ts';

const hint = 'Send the numeric user id exactly as it came in data.from of a received message.';

/** [upstream §3.8] Rate limit per page or account. The burst is a quarter of a second, less than a channel's concurrent calls. */
const pace: Pace = { gapMs: 1_000 / 300, burst: 75 };

export const threadKind = {
  replacesGrants: true,
  isRegistered: false,
  recipientHint: 'The id from the “from” of what they wrote to you.',
  // [spec: Event types] Upstream reports neither `sent` nor `failed`.
  availableEvents: [
    'message.received',
    'message.echo',
    'message.delivered',
    'message.read',
    'channel.updated',
  ],
  checkRecipient,
  canSend: new Set(['text', 'media', 'interactive']),
  sendTags: new Set(['human_agent']),
  choosesPreview: false,
  hasCaptions: false,
  peopleHaveNames: false,
  // A file is a message of its own, without a caption. [upstream §3.3: there is no caption]
  fitMedia: ({ isVoice: _isVoice, ...media }) => ({ ...media, caption: null, filename: null }),
  // What is not told may be anything; sound is often in a container for video.
  uploadTypes: {
    image: /^image\/|^application\/octet-stream$/,
    audio: /^(?:audio|video)\/|^application\/(?:ogg|octet-stream)$/,
    video: /^video\/|^application\/(?:ogg|octet-stream)$/,
    document: /^/,
  },
  pickPace: () => pace,
  audioVideoPace: { gapMs: 1_000 / 10, burst: 5 },
  pairPace: null,
  hasEchoes: () => true,
  isOnPhone: () => false,
  namesSender: false,
  describesFiles: false,
  showsProfiles: true,
} satisfies Partial<ChannelKind>;

function checkRecipient(raw: string): string {
  requireShort(raw, maxScopedId, hint);
  return requireDigits(raw, hint);
}

/** Of all but images, whose limit differs. [upstream §5.4] */
export const threadUploads = { audio: 25 * mib, video: 25 * mib, document: 25 * mib };

/** A text beside quick replies is as long as any; one above buttons is shorter. [upstream §3.3] */
export function threadInteractive(textLimit: number): InteractiveRules {
  const buttons = { text: 640, choices: 3, id: 1000, title: 20 };
  return { buttons, url: buttons, quick_replies: { text: textLimit, choices: 13, id: 1000, title: 20 } };
}
