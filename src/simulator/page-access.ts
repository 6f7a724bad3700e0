import type { Page } from './model.ts';
import { refusal } from './platform-refusals.ts';
import { hasScope, type Token } from './tokens.ts';
import type { World } from './world.ts';

/** The tasks of somebody who controls a page fully. */
export const allTasks: readonly string[] = [
  'ADVERTISE',
  'ANALYZE',
  'CREATE_CONTENT',
  'MESSAGING',
  'MODERATE',
  'MANAGE',
];

/** What the person may do on the page. */
export function tasksOf(page: Page, login: string): readonly string[] {
  return page.access.tasks.get(login) ?? allTasks;
}

/** Whether `/me/accounts` lists the page: pages of a portfolio need `business_management` [Graph changelog, v17.0]. */
export function isListed(world: World, page: Page, token: Token): boolean {
  const { inPortfolio, isPickerOnly } = page.access;
  if (isPickerOnly) return false;
  return !world.settings.portfolio_pages || !inPortfolio || token.scopes.includes('business_management');
}

/** Pages that others shared with the portfolio, as clients do with an agency. */
export function clientPagesOf(world: World, businessId: string): Page[] {
  const pages = [...world.nodes.values()].filter((node) => node.type === 'page');
  return pages.filter(({ access }) => access.inPortfolio && access.clientOf === businessId);
}

const pageScopes = ['pages_messaging', 'pages_manage_metadata', 'pages_read_engagement', 'pages_show_list'];

/** Whether the page is shown with its token. */
export function isTokenShown(world: World, page: Page, token: Token): boolean {
  if (!page.access.hasToken || !token.assets.has(page.id)) return false;
  return !world.settings.page_read_rights || pageScopes.some((scope) => hasScope(token, scope, page.id));
}

/** Whether the page is shown with its photoapp account. */
export function isPhotoShown(world: World, token: Token): boolean {
  return !world.settings.page_read_rights || token.scopes.includes('instagram_basic');
}

/** Throws GraphError 100 if a person's token may not read pages by their id. */
export function checkPageRead(world: World, token: Token): void {
  if (!world.settings.page_read_rights || token.kind === 'page') return;
  if (!token.scopes.includes('pages_read_engagement')) throw refusal('engagement_not_granted');
}
