import { classifyUpstreamError, findChannelMeaning, sentenceFor } from '../rules/messages/error-codes.ts';
import type { Sent } from '../rules/messages/error-codes.ts';
import type { UpstreamOutcome } from '../rules/messages/upstream-outcome.ts';
import type { Accepted } from './kind.ts';
import type { Answer } from './transport.ts';
import { readGraphError, parseObject, readRegainMs } from './graph-error.ts';
import type { GraphError } from './graph-error.ts';
import type { Json } from './read.ts';

/** Outcome of a send call; `said` is upstream's error, for the debug log. */
export interface Judged {
  outcome: UpstreamOutcome;
  said: GraphError | null;
}

/**
 * Looks at the error object first, then at the status. Only a definite refusal or an unsent request is `refused` or `deferred`; everything
 * doubtful is `unknown`, because the retry after a wrong `deferred` could be a third copy. [architecture §5; upstream §3.4, §9.13]
 */
export function judge(
  answer: Answer,
  readAccepted: (json: Json) => Accepted | null,
  withoutSecrets: (text: string) => string,
  sent: () => Sent,
): Judged {
  if (answer.got === 'nothing') return { outcome: withoutAnswer(answer), said: null };
  const json = parseObject(answer.text);
  const said = json === null ? null : readGraphError(json);
  if (said !== null) return { outcome: refusal(said, answer, withoutSecrets, sent), said };
  return { outcome: withoutError(answer.status, json, readAccepted), said: null };
}

function withoutAnswer({ wasSent, reason }: Extract<Answer, { got: 'nothing' }>): UpstreamOutcome {
  if (wasSent) return { outcome: 'unknown', error: `No answer from upstream (${reason})` };
  const error = `Upstream could not be reached (${reason}); the cause is not in the message`;
  return { outcome: 'deferred', error, errorCode: null, pause: 'none' };
}

function withoutError(
  status: number,
  json: Json | null,
  readAccepted: (json: Json) => Accepted | null,
): UpstreamOutcome {
  const accepted = json !== null && status >= 200 && status < 300 ? readAccepted(json) : null;
  if (accepted !== null) return { outcome: 'accepted', ...accepted };
  // Rejected at upstream's edge, before the message was processed.
  if (status === 429) {
    const error = 'Upstream limits the rate; it takes fewer messages in that time than were sent';
    return { outcome: 'deferred', error, errorCode: null, pause: 'channel' };
  }
  return { outcome: 'unknown', error: `Upstream's answer says nothing (HTTP ${status})` };
}

/** Upstream's trace ids have about 11 characters. */
const maxTraceId = 64;

function refusal(
  said: GraphError,
  { status, usage }: Extract<Answer, { got: 'answer' }>,
  withoutSecrets: (text: string) => string,
  sent: () => Sent,
): UpstreamOutcome {
  const { code, subcode } = said;
  const traceId = said.traceId === null ? {} : { traceId: withoutSecrets(said.traceId).slice(0, maxTraceId) };
  const message = withoutSecrets(said.message);
  // Some refusals say what is wrong only in the words for people. [upstream §3.4]
  const details = withoutSecrets(said.details ?? said.userMessage ?? '');
  const error = sentenceFor(code, { subcode, message, details }, sent());
  if (code === null) return { outcome: 'unknown', error, ...traceId };
  const verdict = classifyUpstreamError({ code, subcode, message, httpStatus: status });
  switch (verdict.kind) {
    case 'permanent': {
      const needsReconnect = findChannelMeaning(code, { subcode, message }) === 'reconnect';
      const forChannel = needsReconnect ? { needsReconnect } : {};
      return { outcome: 'refused', error, errorCode: code, ...forChannel, ...traceId };
    }
    case 'operator':
      return { outcome: 'deferred', error, errorCode: code, pause: 'channel', ...traceId };
    case 'ambiguous':
      return { outcome: 'unknown', error, errorCode: code, ...traceId };
    case 'transient': {
      const regainMs = verdict.pause === 'none' ? null : (readRegainMs(usage) ?? verdict.waitMs ?? null);
      const pauseMs = regainMs === null ? {} : { pauseMs: regainMs };
      return { outcome: 'deferred', error, errorCode: code, pause: verdict.pause, ...pauseMs, ...traceId };
    }
    default:
      return verdict satisfies never;
  }
}
