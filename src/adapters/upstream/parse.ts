import type { ParsedPost } from '../../domain/messages/facts.ts';
import type { UpstreamParser } from '../../use-cases/ports/messages.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { recordOf, textOf } from './wire/read.ts';
import type { Json } from './wire/read.ts';
import { scan, textWithQuoted } from './scan.ts';
import { upstreamKinds } from './kinds.ts';
import { leaveMalformed, leaveUnknown } from './left-out.ts';

/** Upstream's own limit. [upstream §1.6] */
const maxBytes = 3 * 1024 * 1024;

const forms = new Map(upstreamKinds.map(({ webhook }) => [webhook.object, webhook]));

/**
 * Turns a POST body into facts. One malformed item never blocks its batch: it is counted. Unknown objects, fields and kinds
 * are counted as ignored. [upstream §0.2, §4; faults 46]
 *
 * Throws Fault `bad_request`: not JSON, over 3 MB, nested over 64 deep, over 200,000 objects and lists, or without `object` and `entry`.
 */
export function makeParser(clock: Clock): UpstreamParser {
  return {
    parse(body) {
      const post = postOf(body);
      const entries = post['entry'];
      const object = textOf(post['object']);
      if (object === null || !Array.isArray(entries))
        throw fault('bad_request', { why: 'No webhook of ours' });
      const out: ParsedPost = { facts: [], malformed: 0, ignored: 0, leftOut: [] };
      takeEntries(object, entries, out, clock.now());
      return out;
    },
  };
}

function takeEntries(object: string, entries: unknown[], out: ParsedPost, now: number): void {
  const form = forms.get(object);
  const place = { channelType: null, identity: null, kind: object };
  if (form === undefined) return leaveUnknown(out, place, entries, Math.max(1, entries.length));
  for (const item of entries) {
    const entry = recordOf(item);
    if (entry === null) leaveMalformed(out, place, item);
    else form.takeEntry(entry, out, now);
  }
}

function postOf(body: Uint8Array): Json {
  if (body.length > maxBytes) throw fault('bad_request', { why: 'Webhook body over 3 MB' });
  const found = scan(body);
  if (typeof found === 'string') throw fault('bad_request', { why: `Webhook body is ${found}` });
  const post = recordOf(parsed(textWithQuoted(body, found.longIntegers)));
  if (post === null) throw fault('bad_request', { why: 'Webhook body is no JSON object' });
  return post;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Its message quotes the body: message content never reaches logs or answers. [faults: I10]
    if (thrown instanceof SyntaxError) throw fault('bad_request', { why: 'Webhook body is no JSON' });
    throw thrown;
  }
}
