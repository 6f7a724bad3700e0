/**
 * Reasons for ending a setup flow without a code: `error` and `error_description` for the client's redirect_uri. Only fixed
 * sentences: no text of upstream or of the query is echoed. [operator-interface §3; faults: 81]
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
  // Does not say by whom, because that would reveal another tenant. [faults: I6]
  claimed_elsewhere: 'What was selected can not be connected to this account; contact support.',
  already_active: 'What was selected is connected already.',
  other_identity: 'What was selected is not what this channel is connected to; select that one.',
  no_free_slot: 'No active licence has a free slot for a channel of this type.',
} as const;

export type RefusalWord = keyof typeof refusals;

/** OAuth's error codes beside `access_denied`; the other codes are ours. [RFC 6749 §4.1.2.1] */
const dialogWords: readonly RefusalWord[] = [
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
];

/** An unknown error, or neither code nor error, counts as `access_denied`. */
export function refusalOfDialog(error: string | null): RefusalWord {
  return dialogWords.find((word) => word === error) ?? 'access_denied';
}
