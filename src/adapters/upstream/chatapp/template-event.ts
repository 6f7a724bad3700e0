import type { TemplateFact } from '../../../domain/messages/facts.ts';
import { asId, asTime } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { readReason, asWord } from './template-read.ts';

type Found = TemplateFact | 'ignored' | 'malformed';

/** Events that name what happened; the status that a template then has is this. [upstream §4.5, §6.3] */
const statusAfter = new Map([
  ['REINSTATED', 'APPROVED'],
  ['UNPAUSED', 'APPROVED'],
  ['UNARCHIVED', 'APPROVED'],
  // A warning: it can still be sent.
  ['FLAGGED', 'APPROVED'],
]);

/** `message_template_status_update`: the status as upstream words it; `NONE` is no reason. [upstream §4.5] */
export function readTemplateStatus(value: Json, entry: Json, now: number): Found {
  const event = asWord(value['event']);
  if (event === null) return 'malformed';
  const status = statusAfter.get(event) ?? event;
  return readTemplateFact(value, entry, now, { status, reason: readReason(value['reason']) });
}

/** `template_category_update`; with `correct_category` it is only a notice of a change to come. [upstream §4.5] */
export function readTemplateCategory(value: Json, entry: Json, now: number): Found {
  const category = asWord(value['new_category']);
  if (value['correct_category'] !== undefined) return 'ignored';
  return category === null ? 'malformed' : readTemplateFact(value, entry, now, { category });
}

export function readTemplateQuality(value: Json, entry: Json, now: number): Found {
  const quality = asWord(value['new_quality_score']);
  return quality === null ? 'malformed' : readTemplateFact(value, entry, now, { quality });
}

/** It tells the new texts without their examples: half of what a template is. */
export function readTemplateComponents(value: Json, entry: Json, now: number): Found {
  return readTemplateFact(value, entry, now, { components: true });
}

/** The id alone says which: name and language may be missing, or be written otherwise (`en-US`). */
function readTemplateFact(value: Json, entry: Json, now: number, change: TemplateFact['change']): Found {
  const businessAccountId = asId(entry['id']);
  const templateId = asId(value['message_template_id']);
  if (businessAccountId === null || templateId === null) return 'malformed';
  return { kind: 'template', businessAccountId, templateId, at: asTime(entry['time']) ?? now, change };
}
