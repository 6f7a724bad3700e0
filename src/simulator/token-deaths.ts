/** Why a token that was valid is refused: the subcode of 190 and the text. Seen in the field, and in Meta's table of error codes. */
export const tokenDeaths = {
  expired: { subcode: 463, message: 'Error validating access token: Session has expired.' },
  revoked: {
    subcode: 460,
    message:
      'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  },
  removed: {
    subcode: 458,
    message: 'Error validating access token: The user has not authorized application.',
  },
  checkpoint: {
    subcode: 459,
    message:
      'Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.',
  },
  unconfirmed: {
    subcode: 464,
    message:
      'Error validating access token: Sessions for the user are not allowed because the user is not a confirmed user.',
  },
  logged_out: {
    subcode: 467,
    message: 'Error validating access token: The session is invalid because the user logged out.',
  },
  role_lost: {
    subcode: 492,
    message:
      'Error validating access token: The user must be an administrator, editor, or moderator of the page in order to impersonate it. If the page business requires Two Factor Authentication, the user also needs to enable Two Factor Authentication.',
  },
  // A later dialog of the same person without the page; a permission removed from the app.
  ungranted: {
    subcode: undefined,
    message:
      "(#190) Any of the pages_read_engagement, pages_manage_metadata, pages_read_user_content, pages_manage_ads, pages_show_list or pages_messaging permission(s) must be granted before impersonating a user's page.",
  },
} as const;

export type TokenDeath = keyof typeof tokenDeaths;

export const tokenDeathNames: readonly TokenDeath[] = [
  'expired',
  'revoked',
  'removed',
  'checkpoint',
  'unconfirmed',
  'logged_out',
  'role_lost',
  'ungranted',
];
