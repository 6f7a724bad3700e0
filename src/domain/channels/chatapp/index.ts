import type { ChannelKind } from '../kind.ts';
import { profileAs } from '../profile.ts';
import { checkPhoneNumber } from './recipient.ts';

// [upstream §3.8] The burst is half a second of the number's rate, so that calls in flight never exceed upstream's limit.
const standardPace = { gapMs: 1_000 / 80, burst: 40 };
const dualUsePace = { gapMs: 1_000 / 20, burst: 10 };
/** [upstream §3.8] Upstream allows 45 at once; one is spare, because upstream counts a moment later than we. */
const pairPace = { gapMs: 6_000, burst: 44 };

/** Based on phone numbers: every status is upstream's report about one message. */
export const chatapp: ChannelKind = {
  type: 'chatapp',
  noun: 'number',
  label: 'chatapp (phone number)',
  recipientHint: 'A phone number with its country code, digits only.',
  textLimit: 4096,
  availableEvents: [
    'message.received',
    'message.echo',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
  ],
  checkRecipient: checkPhoneNumber,
  canSend: new Set(['text', 'media', 'template']),
  // [spec: Sending messages] Image, video and document have a caption, documents a filename.
  fitMedia: (media) => ({
    ...media,
    caption: media.mediaType === 'audio' ? null : media.caption,
    filename: media.mediaType === 'document' ? media.filename : null,
  }),
  pickPace(profile) {
    const own = profileAs(profile, 'chatapp');
    if (own?.isDualUse === true) return dualUsePace;
    return own?.throughput === 'STANDARD' ? standardPace : null;
  },
  audioVideoPace: null,
  pairPace,
  rankOnAccept: 1,
  // [spec: Event types] `message.sent` means accepted by the upstream platform.
  statusesOnAccept: ['sent'],
  rankOfEcho: 1,
  hasEchoes: (profile) => profileAs(profile, 'chatapp')?.isDualUse !== false,
  echoNamesSender: true,
  namesSender: true,
  describesFiles: true,
  showsProfiles: false,
  subscribedAsset: (profile) => profileAs(profile, 'chatapp')?.businessAccountId ?? null,
  publicFields(profile) {
    const own = profileAs(profile, 'chatapp');
    return own === null
      ? {}
      : {
          phone_number_id: own.phoneNumberId,
          phone_number: own.phoneNumber,
          business_account_id: own.businessAccountId,
          quality_rating: own.qualityRating,
        };
  },
};
