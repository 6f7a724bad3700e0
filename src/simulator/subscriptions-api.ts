import { reaches } from './access.ts';
import type { Router } from 'express';
import { request } from 'undici';
import { asNames, asText, type Bag } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, GraphError, missingObject, missingPermission } from './graph-error.ts';
import type { Page, Waba } from './model.ts';
import { tasksOf } from './page-access.ts';
import { appFields, isMessageField, pageFields } from './page-fields.ts';
import { refusal } from './platform-refusals.ts';
import { hasScope, type Token } from './tokens.ts';
import type { World } from './world.ts';

const objects = ['whatsapp_business_account', 'page', 'instagram'];
const verifyTimeoutMs = 10_000;

/** Subscriptions of app, page and business account [upstream protocol 1.7, 2.2]. */
export function addSubscriptionRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/subscriptions',
    graph((call, req) => appSubscriptions(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/subscriptions',
    graph((call, req) => subscribeApp(world, call, param(req, 'id'))),
  );
  router.delete(
    '/:id/subscriptions',
    graph((call, req) => unsubscribeApp(world, call, param(req, 'id'))),
  );
  router.get(
    '/:id/subscribed_apps',
    graph((call, req) => subscribedApps(world, subscribable(world, call, param(req, 'id')))),
  );
  router.post(
    '/:id/subscribed_apps',
    graph((call, req) => subscribe(world, call, subscribable(world, call, param(req, 'id')))),
  );
  router.delete(
    '/:id/subscribed_apps',
    graph((call, req) => unsubscribe(subscribable(world, call, param(req, 'id')))),
  );
}

function appToken(world: World, call: Call, id: string): void {
  const token = authenticate(world, call);
  if (id !== world.app.id) throw missingObject(id, call.method);
  if (token.kind !== 'app')
    throw new GraphError({ code: 15, message: '(#15) This method must be called with an app access_token.' });
}

function appSubscriptions(world: World, call: Call, id: string): Record<string, unknown> {
  appToken(world, call, id);
  const data = [...world.subscriptions].map(([object, { callbackUrl, fields, isActive }]) => ({
    object,
    callback_url: callbackUrl,
    active: isActive,
    fields: [...(fields ?? appFields[object] ?? [])].map((name) => ({ name, version: 'v25.0' })),
  }));
  return { data };
}

function subscribeApp(world: World, call: Call, id: string): Promise<{ success: true }> {
  appToken(world, call, id);
  return registerApp(world, {
    object: asText(call.bag.object) ?? '',
    callbackUrl: asText(call.bag.callback_url) ?? '',
    verifyToken: asText(call.bag.verify_token) ?? '',
    fields: asNames(call.bag.fields),
  });
}

/** Subscribes the app to fields of an object, after the callback was verified. Throws GraphError 100 or 2200. */
export async function registerApp(
  world: World,
  asked: { object: string; callbackUrl: string; verifyToken: string; fields: readonly string[] },
): Promise<{ success: true }> {
  const { object, callbackUrl, verifyToken, fields } = asked;
  if (!objects.includes(object)) throw badParameter(`Param object must be one of {${objects.join(', ')}}`);
  if (!URL.canParse(callbackUrl)) throw badParameter('The parameter callback_url is required');
  if (world.settings.field_names) checkNames('fields', fields, appFields[object] ?? []);
  await verifyCallback(callbackUrl, verifyToken);
  world.subscribeApp(object, { callbackUrl, verifyToken, fields: new Set(fields) });
  return { success: true };
}

// One unknown name refuses the whole call, and nothing changes.
function checkNames(parameter: string, names: readonly string[], known: readonly string[]): void {
  const place = names.findIndex((name) => !known.includes(name));
  if (place < 0) return;
  const all = known.map((name) => name.toUpperCase()).join(', ');
  throw badParameter(`Param ${parameter}[${place}] must be one of {${all}} - got "${names[place] ?? ''}".`);
}

/** Calls the callback URL for the challenge [upstream protocol 1.4]. Throws GraphError 2200 when the challenge is not returned. */
async function verifyCallback(callbackUrl: string, verifyToken: string): Promise<void> {
  const challenge = String(Math.floor(Math.random() * 2 ** 31));
  const url = new URL(callbackUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  const answered = await answerOf(url);
  if (answered.status === 200 && answered.text === challenge) return;
  const message = `(#2200) Callback verification failed with the following errors: HTTP Status Code = ${answered.status}`;
  throw new GraphError({ code: 2200, message });
}

async function answerOf(url: URL): Promise<{ status: number; text: string }> {
  const headers = { 'User-Agent': 'facebookplatform/1.0' };
  try {
    const answer = await request(url, {
      headers,
      headersTimeout: verifyTimeoutMs,
      bodyTimeout: verifyTimeoutMs,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    return { status: 0, text: error instanceof Error ? error.message : '' };
  }
}

function unsubscribeApp(world: World, call: Call, id: string): { success: true } {
  appToken(world, call, id);
  const object = asText(call.bag.object);
  if (object === undefined) world.subscriptions.clear();
  else world.subscriptions.delete(object);
  return { success: true };
}

function subscribable(world: World, call: Call, id: string): Page | Waba {
  const token = authenticate(world, call);
  const node = world.nodes.get(id === 'me' ? token.subject : id);
  if (node?.type === 'page') {
    if (world.settings.token_kinds) checkKind(token, node);
    if (token.kind !== 'app' && token.subject !== node.id) throw missingObject(id, call.method);
    requireScope(token, 'pages_manage_metadata');
    return node;
  }
  if (node?.type === 'waba' && mayManage(token, node)) return node;
  throw missingObject(id, call.method);
}

function checkKind({ kind }: Token, page: Page): void {
  if (kind === 'app') throw refusal('user_token_needed');
  if (kind === 'page') return;
  throw refusal(page.access.isClassic ? 'page_token_needed_classic' : 'page_token_needed');
}

/** Whether the token is for the business account and has the management permission for it. Throws GraphError 200 without it. */
export function mayManage(token: Token, waba: Waba): boolean {
  if (token.kind !== 'business' || !reaches(token, waba)) return false;
  if (!hasScope(token, 'whatsapp_business_management', waba.id))
    throw missingPermission('whatsapp_business_management');
  return true;
}

function requireScope(token: Token, scope: string): void {
  if (token.kind !== 'app' && !token.scopes.includes(scope)) throw missingPermission(scope);
}

function subscribedApps(world: World, node: Page | Waba): Record<string, unknown> {
  const app = { link: 'https://inbox.example/', name: 'Unified Inbox', id: world.app.id };
  if (node.type === 'page') {
    const shown = world.settings.hide_subscribed_fields
      ? {}
      : { subscribed_fields: [...(node.fields ?? [])] };
    return { data: node.fields ? [{ category: 'Business', ...app, ...shown }] : [] };
  }
  const override = node.override ? { override_callback_uri: node.override.url } : {};
  return { data: node.subscribed ? [{ whatsapp_business_api_data: app, ...override }] : [] };
}

function checkRights(token: Token, page: Page, fields: readonly string[]): void {
  const isAboutMessages = fields.some(isMessageField);
  if (isAboutMessages && !token.scopes.includes('pages_messaging')) throw refusal('messaging_not_granted');
  const tasks = tasksOf(page, token.login);
  const mayModerate = ['CREATE_CONTENT', 'MANAGE', 'MODERATE'].some((task) => tasks.includes(task));
  if (!mayModerate || (isAboutMessages && !tasks.includes('MESSAGING'))) throw refusal('task_missing');
}

async function subscribe(world: World, call: Call, node: Page | Waba): Promise<{ success: true }> {
  if (node.type === 'page') {
    const fields = asNames(call.bag.subscribed_fields);
    if (fields.length === 0) throw badParameter('The parameter subscribed_fields is required.');
    if (world.settings.field_names) checkNames('subscribed_fields', fields, pageFields);
    if (world.settings.subscription_rights) checkRights(authenticate(world, call), node, fields);
    node.fields = new Set(fields);
    return { success: true };
  }
  node.override = await overrideOf(world, call.bag);
  node.subscribed = true;
  return { success: true };
}

/** The callback that a call sets for a number or business account, verified; null: none. */
export async function overrideOf(world: World, bag: Bag): Promise<Waba['override']> {
  const url = asText(bag.override_callback_uri);
  if (url === undefined || url === '') return null;
  const verifyToken = asText(bag.verify_token) ?? world.app.verifyToken;
  if (!URL.canParse(url)) throw badParameter('Param override_callback_uri is not a valid URL');
  await verifyCallback(url, verifyToken);
  return { url, verifyToken };
}

function unsubscribe(node: Page | Waba): { success: true } {
  if (node.type === 'page') node.fields = null;
  else node.subscribed = false;
  return { success: true };
}
