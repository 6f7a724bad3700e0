import type { Router } from 'express';
import { reaches } from './access.ts';
import { configurePhone, findPhone } from './accounts-api.ts';
import { asNames, asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { showConversationNode } from './conversations-api.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import { deleteMedia, showMedia } from './media-api.ts';
import type { Page, Photo, Waba } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { checkPageRead } from './page-access.ts';
import { shownPhone } from './phone-life.ts';
import { deletePersona, showPersona } from './personas-api.ts';
import { editTemplate, showTemplate } from './templates-api.ts';
import { profileOf } from './profiles.ts';
import type { Token } from './tokens.ts';
import { shownPage } from './user-api.ts';
import type { World } from './world.ts';

/**
 * `GET`, `POST`, `DELETE /{id}`: all ids share one name space, so the type of the node decides [upstream protocol 9.2]. Must be the last
 * routes.
 */
export function addNodeRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/',
    graph((call) => showAll(world, call)),
  );
  router.get(
    '/:id',
    graph((call, req) => show(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id',
    graph((call, req) => change(world, call, param(req, 'id'))),
  );
  router.delete(
    '/:id',
    graph((call, req) => remove(world, call, param(req, 'id'))),
  );
}

const mostIds = 50;

/** `GET /?ids=a,b`: each node under its id; one that cannot be shown fails the whole call. */
function showAll(world: World, call: Call): Record<string, unknown> {
  const ids = asNames(call.bag.ids);
  if (ids.length === 0) {
    const message = 'Unsupported get request. Please read the Graph API documentation';
    throw new GraphError({ code: 100, type: 'GraphMethodException', message });
  }
  if (ids.length > mostIds) throw badParameter(`Too many IDs. Maximum: ${mostIds}. Provided: ${ids.length}.`);
  return Object.fromEntries(ids.map((id) => [id, show(world, call, id)]));
}

function show(world: World, call: Call, id: string): unknown {
  const token = authenticate(world, call);
  const fields = asText(call.bag.fields);
  const business = [...world.businesses.values()].find(
    ({ login }) => login === (id === 'me' ? token.subject : id),
  );
  if (business) return pick({ id: business.login, name: business.loginName }, fields, nodeTypes.user);
  if (id === world.app.id)
    return pick({ id, name: 'Unified Inbox', link: 'https://inbox.example/' }, fields, nodeTypes.app);
  const node = world.nodes.get(id === 'me' ? token.subject : id);
  switch (node?.type) {
    case 'phone':
      findPhone(world, call, id);
      return pick(shownPhone(world, node), fields, nodeTypes.phone);
    case 'waba':
      return pick(shownWaba(node, token), fields, nodeTypes.waba);
    case 'template':
      return showTemplate(world, call, node);
    case 'media':
      return showMedia(world, call, node);
    case 'page':
      checkPage(world, node, token);
      return pick(shownPage(world, token, node), fields, nodeTypes.page);
    case 'photo':
      return pick(shownPhoto(node, token), fields, nodeTypes.photo);
    case 'persona':
      return showPersona(world, call, node);
    case 'person':
      return profileOf(world, token, node, fields);
    default:
      return showConversationNode(world, call, id) ?? refuseUnknown(id);
  }
}

function refuseUnknown(id: string): never {
  if (/^\d+$/.test(id)) throw missingObject(id);
  const message = `(#803) Some of the aliases you requested do not exist: ${id}`;
  throw new GraphError({ code: 803, message });
}

function shownWaba(waba: Waba, token: Token): Record<string, unknown> {
  if (!reaches(token, waba)) throw missingObject(waba.id);
  const owner = { id: waba.businessId, name: waba.name };
  return {
    id: waba.id,
    name: waba.name,
    currency: 'EUR',
    timezone_id: '1',
    account_review_status: 'APPROVED',
    owner_business_info: owner,
  };
}

function checkPage(world: World, page: Page, token: Token): void {
  if (!token.assets.has(page.id)) throw missingObject(page.id);
  checkPageRead(world, token);
}

function shownPhoto(photo: Photo, token: Token): Record<string, unknown> {
  if (!token.assets.has(photo.page.id)) throw missingObject(photo.id);
  return {
    id: photo.id,
    username: photo.username,
    name: photo.name,
    profile_picture_url: 'https://scontent.example/account.jpg',
  };
}

function change(world: World, call: Call, id: string): unknown {
  const node = world.nodes.get(id);
  if (node?.type === 'template') return editTemplate(world, call, node);
  if (node?.type === 'phone') return configurePhone(world, call, findPhone(world, call, id));
  authenticate(world, call);
  throw missingObject(id, 'post');
}

function remove(world: World, call: Call, id: string): unknown {
  const node = world.nodes.get(id);
  if (node?.type === 'media') return deleteMedia(world, call, node);
  if (node?.type === 'persona') return deletePersona(world, call, node);
  authenticate(world, call);
  throw missingObject(id, 'delete');
}
