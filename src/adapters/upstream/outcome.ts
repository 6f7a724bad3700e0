import { classifyUpstreamError, hintFor } from '../../domain/messages/error-codes.ts';
import type { UpstreamOutcome } from '../../domain/messages/upstream-outcome.ts';
import type { Answer } from './transport.ts';
import { graphErrorOf, jsonOf } from './wire/error.ts';
import type { GraphError } from './wire/error.ts';
import type { Json } from './wire/read.ts';
import type { Accepted } from './kind.ts';

/** How a call ended, with upstream's error beside it for the debug log. */
export interface Judged {
  outcome: UpstreamOutcome;
  said: GraphError | null;
}

/** Media could not be processed: decided before anything is sent, whatever the status. [spec: Send error codes] */
const definiteCodes: ReadonlySet<number> = new Set([131053]);

/** "Received invalid JSON reply; messages may in fact have been sent". [upstream §3.6] */
const maybeSentSubcode = 1357046;

/**
 * Error object first, then the status. Only what upstream definitely refused, or what never left, is `refused` or `deferred`;
 * everything in doubt is `unknown`, because a resend after a wrong `deferred` would be a third copy.
 * [architecture §5; upstream §3.4, §9.13]
 */
export function judge(
  answer: Answer,
  acceptedOf: (json: Json) => Accepted | null,
  withoutSecrets: (text: string) => string,
): Judged {
  if (answer.got === 'nothing') return { outcome: withoutAnswer(answer), said: null };
  const json = jsonOf(answer.text);
  const said = json === null ? null : graphErrorOf(json);
  if (said !== null) return { outcome: refusal(said, answer.status, withoutSecrets), said };
  return { outcome: withoutError(answer.status, json, acceptedOf), said: null };
}

function withoutAnswer({ wasSent, reason }: Extract<Answer, { got: 'nothing' }>): UpstreamOutcome {
  if (wasSent) return { outcome: 'unknown', error: `No answer from upstream (${reason})` };
  const error = `Upstream could not be reached (${reason})`;
  return { outcome: 'deferred', error, errorCode: null, pause: 'none' };
}

function withoutError(
  status: number,
  json: Json | null,
  acceptedOf: (json: Json) => Accepted | null,
): UpstreamOutcome {
  const accepted = json !== null && status >= 200 && status < 300 ? acceptedOf(json) : null;
  if (accepted !== null) return { outcome: 'accepted', ...accepted };
  // Turned away at the edge, before anybody looked at it.
  if (status === 429) {
    return { outcome: 'deferred', error: 'Upstream limits the rate', errorCode: null, pause: 'channel' };
  }
  return { outcome: 'unknown', error: `Upstream's answer says nothing (HTTP ${status})` };
}

function refusal(
  said: GraphError,
  status: number,
  withoutSecrets: (text: string) => string,
): UpstreamOutcome {
  const { code, subcode } = said;
  const message = withoutSecrets(said.message);
  const error = hintFor(code, { subcode, message });
  if (code === null) return { outcome: 'unknown', error };
  const verdict = classifyUpstreamError({ code, subcode, message, httpStatus: status });
  if (verdict.kind === 'permanent') return { outcome: 'refused', error, errorCode: code };
  if (mayHaveBeenSent(said, status, verdict.pause)) return { outcome: 'unknown', error };
  return { outcome: 'deferred', error, errorCode: code, pause: verdict.pause };
}

/** A breakdown inside upstream (5xx) may follow acceptance; a limit (`pause`) comes before it. [faults 37] */
function mayHaveBeenSent({ code, subcode }: GraphError, status: number, pause: string): boolean {
  if (subcode === maybeSentSubcode) return true;
  return status >= 500 && pause === 'none' && !definiteCodes.has(code ?? 0);
}
