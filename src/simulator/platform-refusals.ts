import { GraphError } from './graph-error.ts';

type Refusal = ConstructorParameters<typeof GraphError>[0];

/** What the platform answers where a lax world accepts; the comment of each names its source. */
const refusals = {
  // Seen by clients that unsubscribed with the app's token.
  user_token_needed: {
    code: 102,
    status: 400,
    message: 'A user access token is required to request this resource.',
  },
  // Seen, on pages of the new kind and on older ones.
  page_token_needed: {
    code: 190,
    subcode: 2069032,
    status: 400,
    message:
      'User Access Token Is Not Supported: A Page access token is required for this call for the new Pages experience.',
  },
  page_token_needed_classic: {
    code: 210,
    status: 400,
    message: '(#210) A page access token is required to request this resource.',
  },
  // Seen by four clients.
  messaging_not_granted: {
    code: 200,
    status: 403,
    message: '(#200) To subscribe to the messages field, one of these permissions is needed: pages_messaging',
  },
  // "Webhooks for Pages": CREATE_CONTENT, MANAGE or MODERATE, and MESSAGING for messages.
  task_missing: {
    code: 200,
    status: 403,
    message: '(#200) User does not have sufficient administrative permission for this action on this page.',
  },
  // Seen: a list of pages with an expansion, HTTP 500.
  too_much_data: {
    code: 1,
    status: 500,
    message: "Please reduce the amount of data you're asking for, then retry your request",
  },
  // Seen as 100 and as 10.
  engagement_not_granted: {
    code: 100,
    status: 400,
    message:
      "(#100) This endpoint requires the 'pages_read_engagement' permission or the 'Page Public Content Access' feature.",
  },
  // The reference names the permission; the words are remembered.
  management_not_granted: { code: 100, status: 400, message: '(#100) Missing Permission' },
  // Seen.
  unknown_version: {
    code: 2635,
    status: 400,
    message: '(#2635) You are calling a version of the Graph API that does not exist.',
  },
  // Announced for v26 and v27; the exact words are a guess.
  legacy_feature: { code: 100, status: 400, message: '(#100) This feature is no longer available.' },
} as const satisfies Readonly<Record<string, Refusal>>;

/** The error of this refusal, with other members where they depend on the call. */
export function refusal(name: keyof typeof refusals, more: Partial<Refusal> = {}): GraphError {
  return new GraphError({ ...refusals[name], ...more });
}
