/** Descriptions in the contract that name channel types. No code depends on them. */
import type { PublicFields } from '../../rules/channels/profile.ts';

const userId = 'phone number without `+` (chatapp) or numeric scoped user id (photoapp, pagechat)';

export const kindNotes = {
  /** Of a field that names a user in a response or an event. */
  userId: `A ${userId}`,
  usableUserId: `A ${userId}; can be used as \`recipient\` of a send`,
  givenRecipient:
    'chatapp: phone number with country code, digits without `+`; photoapp: numeric scoped user id; pagechat: numeric page-scoped user id. The `data.from` of an inbound message can be used as it is',
  name: 'Business name (chatapp), username (photoapp) or page name (pagechat)',
  caption: 'Text shown with the file; chatapp image, video and document only, otherwise ignored',
  filename: 'File name shown to the recipient; chatapp document only, otherwise ignored',
  uploadLimits:
    'What the file is sent as; the same in the send. Largest files: chatapp image 5 MiB, audio and video 16 MiB, document 100 MiB; photoapp image 8 MiB; all others 25 MiB. A larger one is 400 `content_too_long`. One whose type or first bytes are of another sort is 400 `unsupported_content`; which types of a sort are taken, upstream decides: a refusal is 400 with its words',
  interactiveType:
    '`buttons`: up to 3. `quick_replies`: up to 13, gone after the answer; photoapp and pagechat. `list`: up to 10 rows; chatapp. `url`: one link. `location_request`: asks for the location; chatapp. Another kind refuses it with 400 `unsupported_content`',
  interactiveText:
    'chatapp: at most 1024 characters, 4096 with a list; photoapp and pagechat: 640, with quick replies as a text. More is 400 `content_too_long`',
  buttons:
    'Of `buttons` and `quick_replies`. The `id` comes back in the event of the answer: at most 256 characters (chatapp) or 1000; the `title` at most 20',
  sections: 'Of `list`: at most 10 rows in all; an `id` has at most 200 characters',
  headerFooter: 'A line above or below the text; chatapp only, not with `location_request`',
  voice: 'True: an `audio` is shown as a voice message (OGG with Opus); chatapp only, otherwise ignored',
  sendLocation: 'Sends a place; chatapp only',
  sendContacts: 'Sends contacts; chatapp only',
  sendReaction: 'Reacts to a message with an emoji, or takes the reaction back; chatapp only',
  previewUrl:
    'True: the first link of the text is shown with a preview. chatapp only; photoapp and pagechat always decide by themselves',
  markRead:
    "`message_id` is that of a `message.received`. On chatapp the person sees the message and all before it as read, on photoapp and pagechat the conversation. The answer is upstream's: nothing is queued, and a repetition does no harm.",
  showTyping:
    "Shown for some seconds, or until a message arrives. `message_id` is that of a `message.received`; chatapp shows it as read too. The answer is upstream's: nothing is queued, and a repetition does no harm.",
  tag: '`human_agent`: a person of yours answers, which is allowed for 7 days after the user wrote, not 24 hours. photoapp and pagechat only; upstream must have granted the app the feature',
  profile:
    'The profile as upstream returned it; null: not available. photoapp: `username`, `name`, `profile_pic`, `follower_count`, `is_verified_user`. pagechat: `first_name` and, when available, `last_name`, `profile_pic`',
  sendTemplate: 'Sends an approved template; chatapp only',
  senderProfile: 'Returns the profile of a user who wrote to a photoapp or pagechat channel',
  noSenderProfile: 'On chatapp this is 404: there the event has the name, in `data.from_name`.',
};

export const profileNotes: Readonly<Record<keyof PublicFields, string>> = {
  phone_number_id: "chatapp only: upstream's id of the phone number",
  phone_number: 'chatapp only: the phone number as people write it',
  business_account_id: "chatapp only: upstream's id of the business account",
  quality_rating: "chatapp only: upstream's quality rating, when available",
  photoapp_account_id: "photoapp only: upstream's id of the account",
  photoapp_username: 'photoapp only: username of the account',
  page_id: "photoapp and pagechat only: upstream's id of the linked page",
};
