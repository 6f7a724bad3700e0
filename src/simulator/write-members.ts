/** The members of `people/write`; CONTROL.md says what they mean. */
export const writeMembers: ReadonlySet<string> = new Set(
  [
    'channel from type text caption id at count wait name reply_to reply_to_own forwarded product group_id referral ref raw message_id emoji',
    'payload title description interactive flow_token response system wa_id previous_user_id user_id previous_parent_user_id parent_user_id',
    'hide_number user_id_as_from sender_in_contact user_ref time_as_text without_mid num_edit location contacts origin items code unsupported url attachments',
    'raw_attachment no_url errors filename mime_type served_type content_base64 size_bytes media_status media_delay_ms media_fault',
    'media_times media_redirect media_chunked',
  ].flatMap((line) => line.split(' ')),
);
