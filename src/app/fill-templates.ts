/**
 * A template that was unknown when its message was sent is looked up before the call; if the look-up fails, upstream's answer to it becomes
 * the outcome of the call. [operator-interface §4]
 */
import type { Upstream, UpstreamCall } from '../rules/outside.ts';
import { sentenceFor } from '../rules/messages/error-codes.ts';
import { isUnfilled } from '../rules/messages/content.ts';
import type { UpstreamOutcome } from '../rules/messages/upstream-outcome.ts';
import { asList, asRecord, asText } from '../kernel/json.ts';
import { asError, Fault } from '../kernel/faults.ts';
import { fillForSend, isLookUpFailure, readUpstreamCode } from '../features/templates/for-send.ts';
import type { FillWorld } from '../features/templates/for-send.ts';

export function fillingTemplates(upstream: Upstream, world: FillWorld): Upstream {
  return {
    send: (call) => (isUnfilled(call.content) ? lookUpAndSend(upstream, world, call) : upstream.send(call)),
  };
}

async function lookUpAndSend(
  upstream: Upstream,
  world: FillWorld,
  call: UpstreamCall,
): Promise<UpstreamOutcome> {
  const { content, channel, requestId } = call;
  if (!isUnfilled(content)) return upstream.send(call);
  try {
    const template = await fillForSend(world, channel, content.template, {
      requestId: requestId ?? undefined,
    });
    return await upstream.send({ ...call, content: { type: 'template', template } });
  } catch (thrown) {
    if (thrown instanceof Fault) return makeOutcome(thrown);
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'templates.not-looked-up');
    return {
      outcome: 'deferred',
      error: 'The template could not be looked up',
      errorCode: null,
      pause: 'none',
    };
  }
}

/** The outcome after a failed look-up: refused or deferred; nothing was sent. */
function makeOutcome(why: Fault): UpstreamOutcome {
  const errorCode = readUpstreamCode(why);
  const said = { subcode: null, message: '' };
  const error = errorCode === null ? readSentence(why) : sentenceFor(errorCode, said);
  if (!isLookUpFailure(why) || why.code === 'upstream_refused')
    return { outcome: 'refused', error, errorCode };
  return { outcome: 'deferred', error, errorCode, pause: 'none' };
}

/** The first problem of the template's variables, else the fault's message. */
function readSentence({ message, detail }: Fault): string {
  return asText(asRecord(asList(detail)[0])?.['msg']) ?? message;
}
