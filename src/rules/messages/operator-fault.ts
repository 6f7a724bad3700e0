/**
 * Refusals that concern the app registered upstream, not the message and not the channel: only the operator of the service can end them. A
 * send that meets one waits, however long that takes. [operator-interface §4: an invalid proof or app secret]
 */

interface Said {
  code: number | null;
  message: string;
}

/** Upstream has no code of its own for these; the parameter's name is never translated. */
const proofRefused = { codes: [100], words: /appsecret_proof/i };
/** The app was deleted, or its id or secret is not the registered one. */
const appRefused = {
  codes: [1, 190],
  words: /application has been deleted|validating client secret|validating application/i,
};
/** In every call, with whatever token: the app's dashboard says why. These words were seen in no other language. */
const appBlocked = { codes: [200], words: /^(?:\(#200\) )?API access (?:blocked|deactivated)\b/i };
const unknownApp = 101;

export function isOperatorFault({ code, message }: Said): boolean {
  if (code === null) return false;
  if (code === unknownApp) return true;
  return [proofRefused, appRefused, appBlocked].some(
    ({ codes, words }) => codes.includes(code) && words.test(message),
  );
}

/** Names the fault in metrics and logs. */
export function operatorFaultReason({ code }: Said): 'proof' | 'app' {
  return code === 100 ? 'proof' : 'app';
}

/** Begins `error` of such a send; also how a stored send is recognized, which has no other mark. */
export const operatorFaultSentence =
  'Upstream refuses the app of this service; its operator has to repair that, and the message is sent then';

export function waitsForOperator(error: string | null): boolean {
  return error?.startsWith(operatorFaultSentence) === true;
}
