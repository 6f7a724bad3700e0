import type { Router } from 'express';
import { asFlag, asNames, asText, type Bag } from './bag.ts';
import type { ControlRoute } from './control-route.ts';
import { allTasks } from './page-access.ts';
import type { PageAccess } from './model.ts';
import type { World } from './world.ts';

/** Where a page is listed, and what a person may do on it. */
export function addPageControl(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/pages',
    control((ask) => changePage(world, ask)),
  );
}

function changePage(world: World, ask: Bag): Record<string, unknown> {
  const page = world.channel(asText(ask.page_id));
  if (page.type !== 'page') throw new Error(`${page.id} is no page`);
  const { access } = page;
  access.inPortfolio = asFlag(ask.portfolio) ?? access.inPortfolio;
  access.clientOf = asText(ask.client_of) ?? access.clientOf;
  access.isPickerOnly = asFlag(ask.picker_only) ?? access.isPickerOnly;
  access.hasToken = asFlag(ask.with_token) ?? access.hasToken;
  access.isClassic = asFlag(ask.classic) ?? access.isClassic;
  if (ask.tasks !== undefined) setTasks(world, page.businessId, access, ask);
  return { ...access, page_id: page.id, tasks: Object.fromEntries(access.tasks) };
}

/** The tasks of `login`; without one, of the person to whom the page's business belongs. */
function setTasks(world: World, businessId: string, access: PageAccess, ask: Bag): void {
  const login = asText(ask.login) ?? world.businesses.get(businessId)?.login ?? '';
  if (ask.tasks === 'all') access.tasks.set(login, allTasks);
  else access.tasks.set(login, asNames(ask.tasks));
}
