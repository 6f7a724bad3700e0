/** What upstream's refusal of a client's call means to the client. */
import { classifyUpstreamError } from '../rules/messages/error-codes.ts';
import { fault } from '../kernel/faults.ts';
import type { Fault } from '../kernel/faults.ts';
import { hideSecrets, isTokenRefused, reconnect } from './credentials.ts';
import type { Attempt } from './graph.ts';
import type { GraphError } from './graph-error.ts';

/** Used if upstream names no time: its windows last an hour, and part of it has passed. */
const guessMs = 300_000;
const maxWords = 600;

type Refused = Pick<Extract<Attempt, { ok: false }>, 'error' | 'regainMs'>;

/** Codes that are known only in some calls. */
export interface OwnCodes {
  permanent: ReadonlySet<number>;
  limits: ReadonlySet<number>;
}

const noCodes: OwnCodes = { permanent: new Set(), limits: new Set() };

/** Fault `upstream_refused`, `upstream_busy` or `upstream_failed`, with upstream's text for users and its code. */
export function toCallFault(
  { error, regainMs }: Refused,
  secrets: readonly string[],
  own: OwnCodes = noCodes,
): Fault {
  const { code, subcode, message } = error;
  const toDo = isTokenRefused(code) ? `; ${reconnect}` : '';
  const why = `${hideSecrets(readWords(error), secrets).slice(0, maxWords)}${writeCodes(error)}${toDo}`;
  const codes = { upstreamCode: code, upstreamSubcode: subcode };
  if (code !== null && own.permanent.has(code)) return fault('upstream_refused', { why, ...codes });
  // The code decides, not the status: 200 has no meaning to the classification.
  const known = classifyUpstreamError({ code, subcode, message, httpStatus: 200 });
  if (known.kind === 'permanent') return fault('upstream_refused', { why, ...codes });
  const isPaused = known.kind === 'transient' && known.pause !== 'none';
  if (!isPaused && (code === null || !own.limits.has(code)))
    return fault('upstream_failed', { why, ...codes });
  const retryAfter = Math.ceil((regainMs ?? guessMs) / 1_000);
  return fault('upstream_busy', { why, ...codes, retryAfter });
}

function readWords({ userTitle, userMessage, message }: GraphError): string {
  const texts = [...new Set([userTitle, userMessage])].filter((text) => text !== null);
  return texts.length === 0 ? message : texts.join(': ');
}

function writeCodes({ code, subcode }: GraphError): string {
  if (code === null) return '';
  return subcode === null ? ` (code ${code})` : ` (code ${code}, subcode ${subcode})`;
}
