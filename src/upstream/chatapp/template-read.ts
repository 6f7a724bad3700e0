import type { UpstreamTemplate } from '../template-calls.ts';
import type { TemplateFact } from '../../rules/messages/facts.ts';
import { asId, asRecord, asText, asTime, recordsIn } from '../read.ts';
import type { Json } from '../read.ts';

/** Upstream's names and words are no longer than this. [upstream §6.3] */
const maxName = 512;
const maxWord = 64;
/** A header, a body, a footer and buttons, with room for future components. */
const maxComponents = 20;
/** Buttons with lists in them nest five deep. Much deeper values would overflow recursive code. [faults: 68] */
const maxDepth = 16;

/** Reads one item of upstream's list of templates; null if it lacks a name or another required field, or is too large. [upstream §6.1] */
export function readTemplate(item: Json): UpstreamTemplate | null {
  const upstreamId = asId(item['id']);
  const name = asWord(item['name'], maxName);
  const language = asWord(item['language'], maxWord);
  const status = asWord(item['status'], maxWord);
  const category = asWord(item['category'], maxWord);
  if (upstreamId === null || name === null || language === null || status === null || category === null)
    return null;
  const components = recordsIn(item['components']);
  if (components.length > maxComponents || !isShallow(components)) return null;
  return {
    upstreamId,
    name,
    language,
    category,
    status,
    components,
    parameterFormat: asText(item['parameter_format'])?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
    quality: asWord(asRecord(item['quality_score'])?.['score'], maxWord),
    rejectedReason: readReason(item['rejected_reason']),
  };
}

export function asWord(value: unknown, max: number = maxWord): string | null {
  const word = asText(value);
  return word !== null && word.length <= max ? word : null;
}

/** `NONE` means no reason. */
function readReason(value: unknown): string | null {
  const reason = asWord(value);
  return reason === 'NONE' ? null : reason;
}

/** Iterates by level: recursion could overflow before the depth is known. */
function isShallow(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

type Found = TemplateFact | 'ignored' | 'malformed';

/** The status that a template has after an event whose name is no status. [upstream §4.5, §6.3] */
const statusAfter = new Map([
  ['REINSTATED', 'APPROVED'],
  ['UNPAUSED', 'APPROVED'],
  // A warning: the template can still be sent.
  ['FLAGGED', 'APPROVED'],
]);

/** Events that are the status which a template has from then on. */
const statusWords = new Set([
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
  'DELETED',
  'ARCHIVED',
]);

/**
 * `message_template_status_update`: the status in upstream's words; reason `NONE` means none. Any other word is no status (a lock forbids
 * edits, not sends): the template is read again. One sample of upstream has the members of a quality update under this name. [upstream §4.5]
 */
export function readTemplateStatus(value: Json, entry: Json, now: number): Found {
  const event = asWord(value['event']);
  if (event === null)
    return value['event'] === undefined ? readTemplateQuality(value, entry, now) : 'malformed';
  const status = statusAfter.get(event) ?? (statusWords.has(event) ? event : null);
  if (status === null) return readTemplateComponents(value, entry, now);
  return readTemplateFact(value, entry, now, { status, reason: readReason(value['reason']) });
}

/** `template_category_update`; with `correct_category` it only announces a change to come. [upstream §4.5] */
export function readTemplateCategory(value: Json, entry: Json, now: number): Found {
  const category = asWord(value['new_category']);
  if (value['correct_category'] !== undefined) return 'ignored';
  return category === null ? 'malformed' : readTemplateFact(value, entry, now, { category });
}

export function readTemplateQuality(value: Json, entry: Json, now: number): Found {
  const quality = asWord(value['new_quality_score']);
  return quality === null ? 'malformed' : readTemplateFact(value, entry, now, { quality });
}

/** Only a hint to read the template again: of new texts the event lacks the examples. */
export function readTemplateComponents(value: Json, entry: Json, now: number): Found {
  return readTemplateFact(value, entry, now, { components: true });
}

/** Only the id identifies the template: name and language may be missing or differ in form (`en-US`). */
function readTemplateFact(value: Json, entry: Json, now: number, change: TemplateFact['change']): Found {
  const businessAccountId = asId(entry['id']);
  const templateId = asId(value['message_template_id']);
  if (businessAccountId === null || templateId === null) return 'malformed';
  return { kind: 'template', businessAccountId, templateId, at: asTime(entry['time']) ?? now, change };
}
