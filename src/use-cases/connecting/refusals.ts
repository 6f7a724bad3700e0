/**
 * Why a setup flow ended without a code: the `error` and `error_description` that the client's redirect_uri gets. Only our own
 * sentences: nothing of what upstream or the address bar said comes back. [operator-interface §3; faults: 81]
 */
export const refusals = {
  access_denied: 'The connection was not allowed in the dialog of the platform.',
  invalid_request: 'The platform refused the request of the setup flow.',
  unauthorized_client: 'The platform does not allow this service to ask for the connection.',
  unsupported_response_type: 'The platform refused the request of the setup flow.',
  invalid_scope: 'The platform does not know the permissions that were asked for.',
  server_error: 'The connection could not be completed; start the setup again.',
  temporarily_unavailable: 'The connection could not be completed now; start the setup again later.',
  upstream_failed: 'The platform did not complete the connection; start the setup again.',
  nothing_picked: 'Nothing was selected that can be connected as a channel of this type.',
  // Not by whom: that is another customer's business. [faults: I6]
  claimed_elsewhere: 'What was selected can not be connected to this account; contact support.',
  already_active: 'What was selected is connected already.',
  other_identity: 'What was selected is not what this channel is connected to; select that one.',
  no_free_slot: 'No active licence has a free slot for a channel of this type.',
} as const;

export type RefusalWord = keyof typeof refusals;

/** The words OAuth has for an error of the dialog beside `access_denied`; the others are ours. [RFC 6749 §4.1.2.1] */
const dialogWords: readonly RefusalWord[] = [
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
];

/** A dialog that says something unknown, or neither code nor error, has not allowed the connection. */
export function refusalOfDialog(error: string | null): RefusalWord {
  return dialogWords.find((word) => word === error) ?? 'access_denied';
}
