import type { TemplateFact } from '../../../domain/messages/facts.ts';
import { idOf, textOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

/** `message_template_status_update`: the status as upstream words it; `NONE` is no reason. [upstream §4.5] */
export function templateStatusOf(value: Json, entry: Json): TemplateFact | 'malformed' {
  const status = textOf(value['event']);
  if (status === null) return 'malformed';
  const reason = textOf(value['reason']);
  return templateOf(value, entry, { status, reason: reason === 'NONE' ? null : reason });
}

/** `template_category_update`; with `correct_category` it is only a notice of a change to come. [upstream §4.5] */
export function templateCategoryOf(value: Json, entry: Json): TemplateFact | 'ignored' | 'malformed' {
  const category = textOf(value['new_category']);
  if (value['correct_category'] !== undefined) return 'ignored';
  return category === null ? 'malformed' : templateOf(value, entry, { category });
}

function templateOf(value: Json, entry: Json, change: TemplateFact['change']): TemplateFact | 'malformed' {
  const businessAccountId = idOf(entry['id']);
  const templateId = idOf(value['message_template_id']);
  const name = textOf(value['message_template_name']);
  const language = textOf(value['message_template_language']);
  if (businessAccountId === null || templateId === null || name === null || language === null)
    return 'malformed';
  // The webhook writes en-US or en_US; the rest of the API only the latter.
  return {
    kind: 'template',
    businessAccountId,
    templateId,
    name,
    language: language.replace('-', '_'),
    change,
  };
}
