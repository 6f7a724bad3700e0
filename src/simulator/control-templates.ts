import type { Router } from 'express';
import { asBag, asList, asNumber, asText, type Bag } from './bag.ts';
import { oneOf, required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import type { Heard } from './events.ts';
import type { ReviewScript, Template } from './model.ts';
import {
  announceCategory,
  changeCategory,
  changeComponents,
  changeQuality,
  changeStatus,
} from './template-events.ts';
import type { World } from './world.ts';

/** Decisions of upstream's reviewers about templates, at once or for the next template. */
export function addTemplateControl(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/templates',
    control((ask) => changeTemplate(world, ask, undefined)),
  );
  router.post(
    '/templates/reviews',
    control((ask) => layDownReview(world, ask)),
  );
  router.post(
    '/templates/:id',
    control((ask, req) => changeTemplate(world, ask, asText(req.params.id))),
  );
}

function layDownReview(world: World, ask: Bag): { reviews: number } {
  const review: ReviewScript = {
    name: asText(ask.name),
    language: asText(ask.language),
    event: oneOf(ask, 'event', ['APPROVED', 'REJECTED', 'PENDING'], 'APPROVED'),
    category: asText(ask.category),
    extra: extraOf(ask, ['name', 'language', 'event', 'category', 'after_ms', 'times']),
    afterMs: ask.after_ms === null ? null : (asNumber(ask.after_ms) ?? 0),
    times: asNumber(ask.times) ?? 1,
  };
  world.reviews.push(review);
  return { reviews: world.reviews.length };
}

type Changed = Told & { readonly id: string; readonly status: string };

async function changeTemplate(world: World, ask: Bag, id: string | undefined): Promise<Changed> {
  const template = templateOf(world, ask, id);
  const told = await tell(ask, (heard) => Number(applyChange(world, template, ask, heard)));
  return { id: template.id, status: template.status, ...told };
}

function templateOf(world: World, ask: Bag, id: string | undefined): Template {
  const wanted = asText(ask.name);
  const all = [...world.businesses.values()].flatMap(({ waba }) => waba.templates);
  const found = all.find((template) => {
    if (id !== undefined) return template.id === id;
    const isAccount = asText(ask.waba_id) === undefined || template.waba.id === asText(ask.waba_id);
    return isAccount && template.name === wanted && template.language === (asText(ask.language) ?? 'en_US');
  });
  if (!found) throw new Error('no template is called so');
  return found;
}

function applyChange(world: World, template: Template, ask: Bag, heard: Heard): boolean {
  const category = asText(ask.category);
  const correct = asText(ask.correct_category);
  const quality = asText(ask.quality);
  const components = asList(ask.components);
  if (category !== undefined) return changeCategory(world, template, category, heard);
  if (correct !== undefined) return announceCategory(world, template, correct, heard);
  if (quality !== undefined) return changeQuality(world, template, quality, ask, heard);
  if (components) return changeComponents(world, template, components, heard);
  const extra = extraOf(ask, ['event', 'name', 'language', 'waba_id', 'wait', 'for_ms']);
  const event = required(ask, 'event');
  const forMs = asNumber(ask.for_ms);
  if (event === 'PAUSED' && forMs !== undefined) world.later(forMs, () => endPause(world, template));
  return changeStatus(world, template, event, extra, heard);
}

// [upstream protocol 6.3] A paused template is reinstated by itself.
function endPause(world: World, template: Template): void {
  if (template.status !== 'PAUSED') return;
  const info = asBag({ title: 'UNPAUSE', description: 'Your template is active again.' });
  changeStatus(world, template, 'REINSTATED', { other_info: info });
}

function extraOf(ask: Bag, known: readonly string[]): Bag {
  return Object.fromEntries(Object.entries(ask).filter(([name]) => !known.includes(name)));
}
