import { classifyUpstreamError } from '../../rules/messages/error-codes.ts';
import { fault } from '../../kernel/faults.ts';
import type { Fault } from '../../kernel/faults.ts';
import { hideSecrets, isTokenRefused, reconnect } from '../credentials.ts';
import type { Attempt } from '../graph.ts';
import type { GraphError } from '../graph-error.ts';

/** Code of the limit on template management. [upstream §6.4] */
const managementLimit = 80008;
/** Permanent codes that only these calls have. [upstream §6.4] */
const refusedHere: ReadonlySet<number> = new Set([192, 200002]);
/** Used if upstream names no time: its windows last an hour, and part of it has passed. */
const guessMs = 300_000;
const maxWords = 600;

type Refused = Pick<Extract<Attempt, { ok: false }>, 'error' | 'regainMs'>;

/** Fault of a refusal, with upstream's text for users and its code. [upstream §6.4: show title and message] */
export function toTemplateFault({ error, regainMs }: Refused, secrets: readonly string[]): Fault {
  const { code, subcode, message } = error;
  const toDo = isTokenRefused(code) ? `; ${reconnect}` : '';
  const why = `${hideSecrets(readWords(error), secrets).slice(0, maxWords)}${writeCodes(error)}${toDo}`;
  if (code !== null && refusedHere.has(code)) return fault('upstream_refused', { why, upstreamCode: code });
  // The code decides, not the status: 200 has no meaning to the classification.
  const known = classifyUpstreamError({ code, subcode, message, httpStatus: 200 });
  if (known.kind === 'permanent') return fault('upstream_refused', { why, upstreamCode: code });
  const isLimit = (known.kind === 'transient' && known.pause !== 'none') || code === managementLimit;
  return isLimit
    ? fault('upstream_busy', {
        why,
        upstreamCode: code,
        retryAfter: Math.ceil((regainMs ?? guessMs) / 1_000),
      })
    : fault('upstream_failed', { why, upstreamCode: code });
}

/** Deleted already, or never existed: nothing is left to delete. */
export function isUnknownTemplate({ code, subcode }: GraphError): boolean {
  return code === 100 && subcode === 2593002;
}

/** The object does not exist, or may not be seen: for a template that was deleted meanwhile upstream may say no more. [upstream §6.3] */
export function mayBeUnknownTemplate({ code, subcode }: GraphError): boolean {
  return code === 100 && subcode === 33;
}

function readWords({ userTitle, userMessage, message }: GraphError): string {
  const texts = [...new Set([userTitle, userMessage])].filter((text) => text !== null);
  return texts.length === 0 ? message : texts.join(': ');
}

function writeCodes({ code, subcode }: GraphError): string {
  if (code === null) return '';
  return subcode === null ? ` (code ${code})` : ` (code ${code}, subcode ${subcode})`;
}
