import type { TemplateFact } from '../../../domain/messages/facts.ts';
import { idOf, timeOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { reasonOf, wordOf } from './template-read.ts';

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
export function templateStatusOf(value: Json, entry: Json, now: number): Found {
  const event = wordOf(value['event']);
  if (event === null) return 'malformed';
  const status = statusAfter.get(event) ?? event;
  return templateOf(value, entry, now, { status, reason: reasonOf(value['reason']) });
}

/** `template_category_update`; with `correct_category` it is only a notice of a change to come. [upstream §4.5] */
export function templateCategoryOf(value: Json, entry: Json, now: number): Found {
  const category = wordOf(value['new_category']);
  if (value['correct_category'] !== undefined) return 'ignored';
  return category === null ? 'malformed' : templateOf(value, entry, now, { category });
}

export function templateQualityOf(value: Json, entry: Json, now: number): Found {
  const quality = wordOf(value['new_quality_score']);
  return quality === null ? 'malformed' : templateOf(value, entry, now, { quality });
}

/** It tells the new texts without their examples: half of what a template is. */
export function templateComponentsOf(value: Json, entry: Json, now: number): Found {
  return templateOf(value, entry, now, { components: true });
}

/** The id alone says which: name and language may be missing, or be written otherwise (`en-US`). */
function templateOf(value: Json, entry: Json, now: number, change: TemplateFact['change']): Found {
  const businessAccountId = idOf(entry['id']);
  const templateId = idOf(value['message_template_id']);
  if (businessAccountId === null || templateId === null) return 'malformed';
  return { kind: 'template', businessAccountId, templateId, at: timeOf(entry['time']) ?? now, change };
}
