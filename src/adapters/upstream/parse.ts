import type { ParsedPost } from '../../domain/messages/facts.ts';
import type { UpstreamParser } from '../../use-cases/ports/messages.ts';
import { yieldToLoop } from '../../kernel/yield-to-loop.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { asRecord, asText } from './wire/read.ts';
import type { Json } from './wire/read.ts';
import { parseJson } from './parse-json.ts';
import { scan, textWithQuoted } from './scan.ts';
import { upstreamKinds } from './kinds.ts';
import { leaveMalformed, leaveUnknown } from './left-out.ts';

/** Upstream's own limit. [upstream §1.6] */
const maxBytes = 3 * 1024 * 1024;

/** The event loop turns after so much work. [faults: I9, 94] */
const sliceMs = 10;

/** Less than a slice of work, whatever is in it. */
const bytesAtOnce = 16 * 1024;

const forms = new Map(upstreamKinds.map(({ webhook }) => [webhook.object, webhook]));

/**
 * Turns a POST body into facts. One malformed item never blocks its batch: it is counted. Unknown objects, fields and kinds
 * are counted as ignored. [upstream §0.2, §4; faults 46]
 *
 * Throws Fault `bad_request`: not JSON, over 3 MB, nested over 64 deep, over 200,000 objects and lists, over 400,000 members or 10,000 of one object, or without `object` and `entry`.
 */
export function makeParser(clock: Clock): UpstreamParser {
  return {
    async parse(body) {
      const steps = readPost(body, clock.now());
      if (body.length <= bytesAtOnce) return atOnce(steps);
      let since = clock.monotonic();
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
        if (clock.monotonic() - since < sliceMs) continue;
        await yieldToLoop();
        since = clock.monotonic();
      }
    },
  };
}

function atOnce(steps: Generator<void, ParsedPost>): ParsedPost {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What `parse` answers, in steps that are short. */
export function* readPost(body: Uint8Array, now: number): Generator<void, ParsedPost> {
  const post = yield* parsePost(body);
  const entries = post['entry'];
  const object = asText(post['object']);
  if (object === null || !Array.isArray(entries)) throw fault('bad_request', { why: 'No webhook of ours' });
  const out: ParsedPost = { facts: [], malformed: 0, ignored: 0, leftOut: [] };
  yield* takeEntries(object, entries, out, now);
  return out;
}

function* takeEntries(
  object: string,
  entries: unknown[],
  out: ParsedPost,
  now: number,
): Generator<void, void> {
  const form = forms.get(object);
  const place = { channelType: null, identity: null, kind: object };
  if (form === undefined) return leaveUnknown(out, place, entries, Math.max(1, entries.length));
  for (const item of entries) {
    const entry = asRecord(item);
    if (entry === null) leaveMalformed(out, place, item);
    else yield* form.takeEntry(entry, out, now);
    yield;
  }
}

function* parsePost(body: Uint8Array): Generator<void, Json> {
  if (body.length > maxBytes) throw fault('bad_request', { why: 'Webhook body over 3 MB' });
  const found = scan(body);
  if (typeof found === 'string') throw fault('bad_request', { why: `Webhook body is ${found}` });
  const post = asRecord(yield* parsed(textWithQuoted(body, found.longIntegers)));
  if (post === null) throw fault('bad_request', { why: 'Webhook body is no JSON object' });
  return post;
}

function* parsed(text: string): Generator<void, unknown> {
  try {
    return yield* parseJson(text);
  } catch (thrown) {
    // Its message quotes the body: message content never reaches logs or answers. [faults: I10]
    if (thrown instanceof SyntaxError) throw fault('bad_request', { why: 'Webhook body is no JSON' });
    throw thrown;
  }
}
