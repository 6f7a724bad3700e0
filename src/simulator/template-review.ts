import { asText } from './bag.ts';
import type { ReviewScript, Template } from './model.ts';
import { changeStatus } from './template-events.ts';
import type { World } from './world.ts';

/** Reviews a new or edited template: as scripted, else approved after `template_review_ms`, else it waits for a control call. */
export function review(world: World, template: Template): void {
  const script = scriptFor(world, template);
  if (script?.category !== undefined) {
    template.previousCategory = template.category;
    template.category = script.category;
  }
  if (script?.event === 'PENDING') return;
  const afterMs = script ? script.afterMs : world.settings.template_review_ms;
  const event = script?.event ?? 'APPROVED';
  if (script && afterMs === null) {
    template.status = event;
    template.rejectedReason = event === 'REJECTED' ? (asText(script.extra.reason) ?? 'INVALID_FORMAT') : null;
  } else if (afterMs !== null) {
    // A template that left PENDING meanwhile is not changed.
    world.later(afterMs, () => {
      if (template.status === 'PENDING') changeStatus(world, template, event, script?.extra ?? {});
    });
  }
}

function scriptFor(world: World, template: Template): ReviewScript | undefined {
  const fits = (wanted: string | undefined, value: string): boolean =>
    wanted === undefined || wanted === value;
  const place = world.reviews.findIndex(
    (script) => fits(script.name, template.name) && fits(script.language, template.language),
  );
  const script = world.reviews[place];
  if (!script || script.times === 0) return script;
  script.times -= 1;
  if (script.times === 0) world.reviews.splice(place, 1);
  return script;
}
