import { asBag, asList, asText, type Bag } from './bag.ts';
import { oneOf } from './control-ask.ts';
import { emitWaba, type Heard } from './events.ts';
import type { Template } from './model.ts';
import type { World } from './world.ts';

const eventStatus: Readonly<Record<string, string>> = {
  REINSTATED: 'APPROVED',
  UNPAUSED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  FLAGGED: 'APPROVED',
};

/** Events that concern editing only: the status remains [upstream protocol 4.5]. */
const locks: Readonly<Record<string, string>> = {
  LOCKED: 'The template cannot be edited while it is under investigation.',
  UNLOCKED: 'The template can be edited again.',
};

/** Changes the status and emits `message_template_status_update` [upstream protocol 4.5]. Returns false if nobody is subscribed. */
export function changeStatus(
  world: World,
  template: Template,
  event: string,
  extra: Bag,
  heard?: Heard,
): boolean {
  const lock = locks[event];
  if (lock === undefined) template.status = eventStatus[event] ?? event;
  else template.isLocked = event === 'LOCKED';
  template.rejectedReason = event === 'REJECTED' ? (asText(extra.reason) ?? 'INVALID_FORMAT') : null;
  template.updatedAt = world.now();
  if (event === 'PAUSED') template.pauses += 1;
  const reason = asText(extra.reason) ?? (event === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE');
  const value = {
    event,
    ...identity(template),
    reason,
    message_template_category: template.category,
    ...(event === 'PAUSED' ? { other_info: pauseInfo(template) } : {}),
    ...(lock === undefined ? {} : { other_info: { title: event, description: lock } }),
    ...extra,
  };
  return emitWaba(
    world,
    template.waba,
    { field: 'message_template_status_update', kind: 'template', value },
    heard,
  );
}

function pauseInfo(template: Template): Record<string, unknown> {
  const title = template.pauses > 1 ? 'SECOND_PAUSE' : 'FIRST_PAUSE';
  return { title, description: 'Your template is paused because of its quality.' };
}

/** Changes the category and emits `template_category_update`. */
export function changeCategory(world: World, template: Template, category: string, heard?: Heard): boolean {
  template.previousCategory = template.category;
  template.correctCategory = null;
  template.category = category;
  const value = {
    ...identity(template),
    previous_category: template.previousCategory,
    new_category: category,
  };
  return emitWaba(
    world,
    template.waba,
    { field: 'template_category_update', kind: 'template', value },
    heard,
  );
}

/** Announces a change of category within a day: `new_category` is still the current one [upstream protocol 4.5]. */
export function announceCategory(world: World, template: Template, category: string, heard?: Heard): boolean {
  template.correctCategory = category;
  const value = { ...identity(template), new_category: template.category, correct_category: category };
  return emitWaba(
    world,
    template.waba,
    { field: 'template_category_update', kind: 'template', value },
    heard,
  );
}

const qualityFields = ['message_template_quality_update', 'message_template_status_update'] as const;

/** Changes the quality and emits it; upstream's reference has a sample under each of the two fields [upstream protocol 4.5]. */
export function changeQuality(
  world: World,
  template: Template,
  score: string,
  ask: Bag,
  heard?: Heard,
): boolean {
  const previous = template.quality;
  template.quality = score;
  const value = { ...identity(template), previous_quality_score: previous, new_quality_score: score };
  const field = oneOf(ask, 'field', qualityFields, 'message_template_quality_update');
  return emitWaba(world, template.waba, { field, kind: 'template', value }, heard);
}

/** Replaces the components, as an edit in upstream's own manager does, and emits `message_template_components_update`. */
export function changeComponents(
  world: World,
  template: Template,
  components: readonly unknown[],
  heard?: Heard,
): boolean {
  template.components = components.map((component) => asBag(component) ?? {});
  template.updatedAt = world.now();
  const part = (type: string): Bag | undefined =>
    template.components.find((component) => asText(component.type)?.toUpperCase() === type);
  const title = asText(part('HEADER')?.text);
  const footer = asText(part('FOOTER')?.text);
  const buttons = asList(part('BUTTONS')?.buttons);
  const value = {
    ...identity(template),
    message_template_element: asText(part('BODY')?.text) ?? '',
    ...(title === undefined ? {} : { message_template_title: title }),
    ...(footer === undefined ? {} : { message_template_footer: footer }),
    ...(buttons === undefined ? {} : { message_template_buttons: buttons.map(shownButton) }),
  };
  return emitWaba(
    world,
    template.waba,
    { field: 'message_template_components_update', kind: 'template', value },
    heard,
  );
}

function shownButton(item: unknown): Record<string, unknown> {
  const { type, text, url, phone_number: phone } = asBag(item) ?? {};
  return {
    message_template_button_type: type,
    message_template_button_text: text,
    ...(url === undefined ? {} : { message_template_button_url: url }),
    ...(phone === undefined ? {} : { message_template_button_phone_number: phone }),
  };
}

// `signing.ts` makes the id a JSON number when it writes the body.
function identity(template: Template): Record<string, unknown> {
  return {
    message_template_id: template.id,
    message_template_name: template.name,
    message_template_language: template.language,
  };
}
