import { mib } from '../../kernel/bytes.ts';
import type { ChannelKind } from './kind.ts';
import { profileAs } from './profile.ts';
import type { Channel } from './channel.ts';
import { digitsOf, withoutUnseen } from '../phone-number.ts';
import { fault } from '../../kernel/faults.ts';
import {
  invalidRecipient,
  isBusinessScopedId,
  isDigits,
  maxRecipient,
  requireDigits,
  requireShort,
  separators,
  wholeOf,
} from './recipient.ts';

// [upstream §3.8] The burst is half a second of the number's rate, so that calls in flight never exceed upstream's limit.
const standardPace = { gapMs: 1_000 / 80, burst: 40 };
const dualUsePace = { gapMs: 1_000 / 20, burst: 10 };
/** [upstream §3.8] Upstream allows 45 at once; one is spare, because upstream counts a moment later than we. */
const pairPace = { gapMs: 6_000, burst: 44 };

const lines = { header: 60, footer: 60 };
/** [upstream §3.1] */
const interactive = {
  buttons: { text: 1024, ...lines, choices: 3, id: 256, title: 20, hasOwnTitles: true },
  list: { text: 4096, ...lines, choices: 10, id: 200, title: 24 },
  url: { text: 1024, ...lines, title: 20 },
  location_request: { text: 1024 },
};

/** Based on phone numbers: every status is upstream's report about one message. */
export const chatapp: ChannelKind = {
  type: 'chatapp',
  noun: 'number',
  label: 'chatapp (phone number)',
  nothingGranted:
    'No business account was shared with this service. Start the setup again and select a business account with a number; add and verify a number in WhatsApp Manager if it has none.',
  replacesGrants: false,
  isRegistered: true,
  recipientHint: 'A phone number with its country code, digits only.',
  textLimit: 4096,
  textBytes: null,
  availableEvents: [
    'message.received',
    'message.echo',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
    'channel.updated',
    'template.updated',
    'person.updated',
  ],
  checkRecipient: checkPhoneNumber,
  canSend: new Set(['text', 'media', 'template', 'interactive', 'location', 'contacts', 'reaction']),
  interactive,
  sendTags: new Set(),
  choosesPreview: true,
  hasCaptions: true,
  // [spec: Sending messages] Image, video and document have a caption, documents a filename.
  fitMedia: (media) => ({
    ...media,
    caption: media.mediaType === 'audio' ? null : media.caption,
    filename: media.mediaType === 'document' ? media.filename : null,
  }),
  uploadLimits: { image: 5 * mib, audio: 16 * mib, video: 16 * mib, document: 100 * mib },
  uploadTypes: { image: /^image\/(?:jpeg|png)$/, audio: /^audio\//, video: /^video\//, document: /^/ },
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
  peopleHaveNames: true,
  reportsConversations: false,
  rankOfEcho: 1,
  hasEchoes: (profile) => profileAs(profile, 'chatapp')?.isDualUse !== false,
  isOnPhone: (profile) => profileAs(profile, 'chatapp')?.isDualUse ?? null,
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

/** Most digits of an E.164 number. */
const maxNumber = 15;
const hint =
  'Send the phone number with country code, digits only, for example 4915900000777, or the data.from of a received message.';
const trunkHint = `Omit the (0): it is dialled only within the country. ${hint}`;

const trunkPrefix = /[([]\p{Zs}*0\p{Zs}*[)\]]/u;

/**
 * A phone number as digits, or a business-scoped id unchanged. A number with `(0)` is refused: with or without the 0 it is another
 * number, and only the client knows which. So is one with `00`: no country code starts with 0, and upstream accepts the message for
 * nobody. Throws faults `invalid_recipient`, `recipient_equals_sender`.
 */
function checkPhoneNumber(raw: string, channel: Channel): string {
  requireShort(raw, maxRecipient, hint);
  if (isBusinessScopedId(raw)) return raw;
  const digits = requireDigits(bareNumber(raw), hint);
  if (digits.startsWith('00')) throw internationalPrefix(digits.slice(2));
  if (digits.length > maxNumber) throw invalidRecipient('too_long', hint);
  // Upstream formats the channel's own number for people.
  if (digits === digitsOf(profileAs(channel.profile, 'chatapp')?.phoneNumber ?? ''))
    throw fault('recipient_equals_sender');
  return digits;
}

/** Upstream passes a one-time code on only to a number (131062). Throws fault `invalid_recipient`. [upstream §3.1] */
export function requireNumber(raw: string): void {
  if (isBusinessScopedId(raw))
    throw invalidRecipient('needs_phone_number', 'Send an authentication template to the phone number.');
}

function internationalPrefix(number: string): Error {
  if (number.length > maxNumber) return invalidRecipient('too_long', hint);
  const isWhole = number !== '' && !number.startsWith('0');
  return invalidRecipient('international_prefix', isWhole ? `Omit the 00: send ${number}.` : hint);
}

/** Removes what nobody sees, separators and a leading `+`. Most numbers are digits only and skip that. */
function bareNumber(raw: string): string {
  if (isDigits(raw)) return raw;
  const shown = withoutUnseen(raw); // first: what is between `(` and `0` hides neither a trunk prefix nor a fraction
  if (trunkPrefix.test(shown)) throw invalidRecipient('trunk_prefix', trunkHint);
  const whole = wholeOf(shown);
  if (whole !== null) throw invalidRecipient('not_numeric', `Omit the fraction: send ${whole}.`);
  const bare = shown.replaceAll(separators, '');
  const candidate = bare.startsWith('+') ? bare.slice(1) : bare;
  // '+' or '--' alone is not empty but has no digits.
  if (candidate === '' && raw.trim() !== '') throw invalidRecipient('no_digits', hint);
  return candidate;
}
