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
  previewUrl:
    'True: the first link of the text is shown with a preview. chatapp only; photoapp and pagechat always decide by themselves',
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
