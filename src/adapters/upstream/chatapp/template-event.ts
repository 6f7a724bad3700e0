import type { TemplateFact } from '../../../domain/messages/facts.ts';
import { asId, asTime } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { readReason, asWord } from './template-read.ts';

type Found = TemplateFact | 'ignored' | 'malformed';

/** The status that a template has after an event whose name is no status. [upstream §4.5, §6.3] */
const statusAfter = new Map([
  ['REINSTATED', 'APPROVED'],
  ['UNPAUSED', 'APPROVED'],
  ['UNARCHIVED', 'APPROVED'],
  // A warning: the template can still be sent.
  ['FLAGGED', 'APPROVED'],
]);

/** `message_template_status_update`: the status in upstream's words; reason `NONE` means none. [upstream §4.5] */
export function readTemplateStatus(value: Json, entry: Json, now: number): Found {
  const event = asWord(value['event']);
  if (event === null) return 'malformed';
  const status = statusAfter.get(event) ?? event;
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

/** The event contains the new texts without their examples, so it is only a hint to read the template again. */
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
