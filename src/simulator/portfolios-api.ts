import type { Router } from 'express';
import { asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pick } from './fields.ts';
import { missingObject } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import type { Business, Page } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { clientPagesOf } from './page-access.ts';
import { writePaging } from './paging.ts';
import { refusal } from './platform-refusals.ts';
import type { Token } from './tokens.ts';
import { ownToken, shownPage } from './user-api.ts';
import type { World } from './world.ts';

/** A person's portfolios, and the pages that each owns or was given by a client [upstream protocol 2.1]. */
export function addPortfolioRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/businesses',
    graph((call, req) => businesses(world, call, param(req, 'id'))),
  );
  router.get(
    '/:id/owned_pages',
    graph((call, req) => listPages(world, call, param(req, 'id'), ownedPages)),
  );
  router.get(
    '/:id/client_pages',
    graph((call, req) =>
      listPages(world, call, param(req, 'id'), (business) => clientPagesOf(world, business.id)),
    ),
  );
}

function businesses(world: World, call: Call, id: string): Record<string, unknown> {
  const token = ownToken(world, call, id);
  checkManagement(token);
  const own = [...world.businesses.values()].filter(({ login }) => login === token.login);
  const fields = asText(call.bag.fields);
  return writePaging(
    world,
    call,
    own.map((business) => pick({ id: business.id, name: business.name }, fields, nodeTypes.business)),
  );
}

const ownedPages = ({ pages }: Business): readonly Page[] => pages.filter(({ access }) => access.inPortfolio);

/** Also pages that the token was not granted: without an access token. */
function listPages(
  world: World,
  call: Call,
  id: string,
  pagesOf: (business: Business) => readonly Page[],
): Record<string, unknown> {
  const token = authenticate(world, call);
  const business = world.businesses.get(id);
  if (business === undefined || business.login !== token.login) throw missingObject(id);
  checkManagement(token);
  const fields = asText(call.bag.fields);
  const shown = pagesOf(business).map((page) => pick(shownPage(world, token, page), fields, nodeTypes.page));
  return writePaging(world, call, shown);
}

function checkManagement({ scopes }: Token): void {
  if (!scopes.includes('business_management')) throw refusal('management_not_granted');
}
