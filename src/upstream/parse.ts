import type { ParsedPost } from '../rules/messages/facts.ts';
import { yieldToLoop } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import { fault } from '../kernel/faults.ts';
import { asRecord, asText } from './read.ts';
import type { Json } from './read.ts';
import { parseJson } from './parse-json.ts';
import { scan, textWithQuoted } from './scan.ts';
import { upstreamKinds } from './kinds.ts';
import { keepMalformed, keepUnknown } from './unparsed-items.ts';

/** Upstream's own limit for a POST. [upstream §1.6] */
const maxBytes = 3 * 1024 * 1024;

/** Parsing yields to the event loop after this time. [faults: I9, 94] */
const sliceMs = 10;

/** A body of this size takes less than a slice, whatever it contains. */
const bytesAtOnce = 16 * 1024;

const forms = new Map(upstreamKinds.map(({ webhook }) => [webhook.object, webhook]));

/**
 * Turns a POST body into facts. A malformed item is counted and never blocks the rest of its batch. Unknown objects, fields and kinds are
 * counted as ignored. [upstream §0.2, §4; faults 46]
 *
 * Throws Fault `bad_request` if the body is no JSON, has over 3 MB, nests over 64 deep, has over 200,000 objects and lists, over 400,000
 * members in total or 10,000 in one object, or lacks `object` or `entry`.
 */
export function makeParser(clock: Clock): UpstreamParser {
  return {
    async parse(body) {
      const steps = readPost(body, clock.now());
      if (body.length <= bytesAtOnce) return runToEnd(steps);
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

function runToEnd(steps: Generator<void, ParsedPost>): ParsedPost {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As `parse`, in short steps. */
export function* readPost(body: Uint8Array, now: number): Generator<void, ParsedPost> {
  const post = yield* parsePost(body);
  const entries = post['entry'];
  const object = asText(post['object']);
  if (object === null || !Array.isArray(entries)) throw fault('bad_request', { why: 'No webhook of ours' });
  const out: ParsedPost = { facts: [], malformed: 0, ignored: 0, unparsed: [], notices: [] };
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
  if (form === undefined) return keepUnknown(out, place, entries, Math.max(1, entries.length));
  for (const item of entries) {
    const entry = asRecord(item);
    if (entry === null) keepMalformed(out, place, item);
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
    // The error's text quotes the body, and message content must not reach logs or answers. [faults: I10]
    if (thrown instanceof SyntaxError) throw fault('bad_request', { why: 'Webhook body is no JSON' });
    throw thrown;
  }
}

/**
 * Parses a POST of upstream whose signature was verified, and yields to the event loop meanwhile. Throws Fault `bad_request` if the body is
 * not upstream's JSON.
 */
export interface UpstreamParser {
  parse(body: Uint8Array): Promise<ParsedPost>;
}
