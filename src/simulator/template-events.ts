import { textOf, type Bag } from './bag.ts';
import { emitWaba, type Heard } from './events.ts';
import type { Template } from './model.ts';
import type { World } from './world.ts';

const eventStatus: Readonly<Record<string, string>> = {
  REINSTATED: 'APPROVED',
  UNPAUSED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  FLAGGED: 'APPROVED',
};

/** Changes the status and tells it by `message_template_status_update` [upstream protocol 4.5]. False: nobody listens. */
export function changeStatus(
  world: World,
  template: Template,
  event: string,
  extra: Bag,
  heard?: Heard,
): boolean {
  template.status = eventStatus[event] ?? event;
  template.rejectedReason = event === 'REJECTED' ? (textOf(extra.reason) ?? 'INVALID_FORMAT') : null;
  template.updatedAt = world.now();
  const reason = textOf(extra.reason) ?? (event === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE');
  const value = {
    event,
    ...identity(template),
    reason,
    message_template_category: template.category,
    ...extra,
  };
  return emitWaba(world, template.waba, 'message_template_status_update', 'template', value, heard);
}

/** Changes the category and tells it by `template_category_update`. */
export function changeCategory(world: World, template: Template, category: string, heard?: Heard): boolean {
  template.previousCategory = template.category;
  template.category = category;
  const value = {
    ...identity(template),
    previous_category: template.previousCategory,
    new_category: category,
  };
  return emitWaba(world, template.waba, 'template_category_update', 'template', value, heard);
}

/** Tells a quality change; the field does not change anything else. */
export function changeQuality(world: World, template: Template, score: string, heard?: Heard): boolean {
  const value = { ...identity(template), previous_quality_score: 'UNKNOWN', new_quality_score: score };
  return emitWaba(world, template.waba, 'message_template_quality_update', 'template', value, heard);
}

// The id becomes a JSON number when the body is written: see `signing.ts`.
function identity(template: Template): Record<string, unknown> {
  return {
    message_template_id: template.id,
    message_template_name: template.name,
    message_template_language: template.language,
  };
}
