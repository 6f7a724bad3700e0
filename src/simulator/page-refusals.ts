import { GraphError } from './graph-error.ts';
import type { World } from './world.ts';

type Refusal = ConstructorParameters<typeof GraphError>[0];

/** Refusals of page and photo sends that depend on the person written to [upstream protocol 3.4, 3.6]. */
const refusals = {
  stranger: { code: 100, subcode: 2018001, message: '(#100) No matching user found' },
  photo_stranger: { code: 100, subcode: 2534014, message: '(#100) No matching user found' },
  no_account: { code: 10, subcode: 2534077, message: '(#10) The Page is not linked to an Instagram account' },
  blocked: { code: 551, subcode: 1545041, message: "(#551) This person isn't available right now." },
  other_owner: {
    code: 10,
    subcode: 2018300,
    message: '(#10) Message failed to send because another app is controlling this thread now.',
  },
  // Seen on photo accounts only, 2023 to 2026-09, where the page's text has 10/2018300.
  photo_other_owner: {
    code: 100,
    subcode: 2534037,
    message: "(#100) The action is invalid since it's not the thread owner.",
  },
  window: { code: 10, subcode: 2018278, message: '(#10) This message is sent outside of allowed window.' },
  photo_window: {
    code: 10,
    subcode: 2534022,
    message: '(#10) This message is sent outside of allowed window.',
  },
  // Meta's table of Messenger errors, 2026-06-25.
  no_role: {
    code: 200,
    subcode: 2018028,
    status: 403,
    message:
      '(#200) Cannot message users who are not admins, developers or testers of the app until pages_messaging permission is reviewed and the app is live.',
  },
  // Seen on photo accounts.
  photo_no_role: {
    code: 200,
    subcode: 2534048,
    status: 403,
    message:
      '(#200) The app has no Advanced Access to instagram_manage_messages, and the recipient has no role on the app.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/** Seen: the text is in the language of the token's person. */
const german = 'Diese Nachricht kann nicht gesendet werden.';

/** The error of this refusal in the form that the settings choose: its HTTP status and its language. */
export function pageRefusal({ settings }: World, name: keyof typeof refusals): GraphError {
  const given: Refusal = refusals[name];
  const seen = given.code === 10 && settings.page_statuses ? 403 : given.status;
  const status = settings.business_status === 0 ? seen : settings.business_status;
  const message = settings.localised ? `(#${given.code}) ${german}` : given.message;
  return new GraphError({ ...given, status, message });
}
