import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { places } from '../../src/features/pages.ts';
import { routeTable } from '../support/routes.ts';
import type { Route } from '../../src/http/route.ts';
import { run } from './house.ts';
import { adminToken, apiKey, someId } from './support.ts';
import type { Running } from './support.ts';

let service: Running;
beforeAll(async () => {
  service = await run();
});
afterAll(() => service.stop());

const pathOf = (route: Route) => route.path.replaceAll(/\{\w+\}/g, someId);
const named = (routes: readonly Route[]) =>
  routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const);
const credentials = (route: Route): Record<string, string> =>
  route.audience === 'admin' ? { authorization: `Bearer ${adminToken}` } : { 'x-api-key': apiKey };

const guarded = routeTable.filter((route) => route.audience !== 'open');
const takesFile = (route: Route): boolean => route.audience === 'api' && route.takesFile;
const withBody = guarded.filter((route) => route.bodySchema !== null && !takesFile(route));
const withId = guarded.filter((route) => route.path.includes('{'));
const paths = [
  ...new Set(routeTable.filter((route) => route.path !== '/metrics').map((route) => route.path)),
];

test('every route has a name that is valid in a metric', () => {
  expect(routeTable.filter(({ name }) => !/^[\w.:/{}-]{1,80}$/.test(name))).toEqual([]);
});

test('the table has exactly these endpoints, and the places of the navigation', () => {
  expect(routeTable.map((route) => `${route.method.toUpperCase()} ${route.path}`).toSorted()).toEqual(
    [
      ...places.map(({ path }) => `GET ${path}`),
      'DELETE /admin/v1/channels/{channel_id}/claim',
      'DELETE /admin/v1/keys/{key_id}',
      'DELETE /admin/v1/people/{person_id}/second-step',
      'DELETE /admin/v1/quarantine/{item_id}',
      'DELETE /api/v1/channels/{channel_id}',
      'DELETE /api/v1/channels/{channel_id}/endpoints/{endpoint_id}',
      'DELETE /api/v1/channels/{channel_id}/templates/{template_id}',
      'DELETE /api/v1/redirects/{redirect_id}',
      'GET /',
      'GET /admin/v1/accounts',
      'GET /admin/v1/accounts/{account_id}',
      'GET /admin/v1/audit',
      'GET /admin/v1/channels',
      'GET /admin/v1/channels/{channel_id}',
      'GET /admin/v1/failing',
      'GET /admin/v1/mails',
      'GET /admin/v1/messages/{message_id}',
      'GET /admin/v1/nodes',
      'GET /admin/v1/quarantine',
      'GET /admin/v1/upstream',
      'GET /api/v1/channels',
      'GET /api/v1/channels/{channel_id}',
      'GET /api/v1/channels/{channel_id}/deliveries',
      'GET /api/v1/channels/{channel_id}/endpoints',
      'GET /api/v1/channels/{channel_id}/endpoints/{endpoint_id}',
      'GET /api/v1/channels/{channel_id}/health',
      'GET /api/v1/channels/{channel_id}/messages/{message_id}',
      'GET /api/v1/channels/{channel_id}/profile/{user_id}',
      'GET /api/v1/channels/{channel_id}/templates',
      'GET /api/v1/channels/{channel_id}/templates/{template_id}',
      'GET /api/v1/default-webhook',
      'GET /api/v1/media/{media_id}',
      'GET /api/v1/messages',
      'GET /api/v1/redirects',
      'GET /api/v1/requests',
      'GET /api/v1/subscriptions',
      'GET /assets/{version}/{file}',
      'GET /docs/clients',
      'GET /docs/clients/{file}',
      'GET /docs/contract',
      'GET /docs/decisions',
      'GET /docs/error-codes',
      'GET /docs/guide',
      'GET /docs/operators',
      'GET /docs/verify',
      'GET /favicon.ico',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /operators',
      'GET /operators/accounts',
      'GET /operators/accounts/{account_id}',
      'GET /operators/accounts/{account_id}/given-up',
      'GET /operators/accounts/{account_id}/given-up/{channel_id}/{delivery_id}',
      'GET /operators/accounts/{account_id}/licences',
      'GET /operators/accounts/{account_id}/licences/{subscription_id}',
      'GET /operators/accounts/{account_id}/licences/{subscription_id}/end',
      'GET /operators/accounts/{account_id}/note',
      'GET /operators/accounts/{account_id}/people/{person_id}/link',
      'GET /operators/accounts/{account_id}/people/{person_id}/one-step',
      'GET /operators/accounts/{account_id}/people/{person_id}/role',
      'GET /operators/accounts/{account_id}/reset-link',
      'GET /operators/accounts/{account_id}/resume',
      'GET /operators/accounts/{account_id}/suspend',
      'GET /operators/aside',
      'GET /operators/aside/{item_id}/drop',
      'GET /operators/aside/{item_id}/retry',
      'GET /operators/audit',
      'GET /operators/audit/export',
      'GET /operators/channels/{channel_id}',
      'GET /operators/channels/{channel_id}/licence',
      'GET /operators/channels/{channel_id}/look',
      'GET /operators/channels/{channel_id}/release',
      'GET /operators/enter',
      'GET /operators/leave',
      'GET /operators/mails',
      'GET /operators/mails/{mail_id}/send',
      'GET /operators/nodes/{node_id}/drain',
      'GET /operators/platform',
      'GET /operators/{page}',
      'GET /portal/',
      'GET /portal/account',
      'GET /portal/{page}',
      'GET /portal/account/address',
      'GET /portal/account/confirmation',
      'GET /portal/account/mails',
      'GET /portal/account/second-step',
      'GET /portal/account/second-step/codes',
      'GET /portal/account/second-step/off',
      'GET /portal/account/sessions/end-others',
      'GET /portal/account/sessions/{session_id}/end',
      'GET /portal/audit/export',
      'GET /portal/channels/connect',
      'GET /portal/channels/{channel_id}',
      'GET /portal/channels/{channel_id}/connection',
      'GET /portal/channels/{channel_id}/endpoints',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}/disable',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}/enable',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}/remove',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}/secret',
      'GET /portal/channels/{channel_id}/endpoints/{endpoint_id}/test',
      'GET /portal/channels/{channel_id}/deliveries/{delivery_id}',
      'GET /portal/channels/{channel_id}/deliveries/{delivery_id}/retry',
      'GET /portal/channels/{channel_id}/licence',
      'GET /portal/channels/{channel_id}/messages/{message_id}',
      'GET /portal/channels/{channel_id}/remove',
      'GET /portal/channels/{channel_id}/secret',
      'GET /portal/channels/{channel_id}/secret/made',
      'GET /portal/channels/{channel_id}/send',
      'GET /portal/channels/{channel_id}/templates',
      'GET /portal/channels/{channel_id}/templates/new',
      'GET /portal/channels/{channel_id}/templates/sync',
      'GET /portal/channels/{channel_id}/templates/{template_id}/delete',
      'GET /portal/channels/{channel_id}/templates/{template_id}/edit',
      'GET /portal/channels/{channel_id}/templates/{template_id}/send',
      'GET /portal/channels/{channel_id}/test',
      'GET /portal/channels/{channel_id}/test-event',
      'GET /portal/channels/{channel_id}/webhook',
      'GET /portal/confirm',
      'GET /portal/connected',
      'GET /portal/default-webhook',
      'GET /portal/default-webhook/apply',
      'GET /portal/default-webhook/secret',
      'GET /portal/deliveries/again',
      'GET /portal/deliveries/export',
      'GET /portal/messages/export',
      'GET /portal/deliveries/replay',
      'GET /portal/forgot',
      'GET /portal/keys/made',
      'GET /portal/keys/older',
      'GET /portal/keys/{key_id}/revoke',
      'GET /portal/invitation',
      'GET /portal/new-address',
      'GET /portal/people/leave',
      'GET /portal/people/{person_id}',
      'GET /portal/people/{person_id}/invitation',
      'GET /portal/people/{person_id}/remove',
      'GET /portal/redirects',
      'GET /portal/redirects/{redirect_id}/remove',
      'GET /portal/reset',
      'GET /portal/search',
      'GET /portal/sign-in',
      'GET /portal/sign-in/code',
      'GET /portal/sign-out',
      'GET /portal/sign-up',
      'GET /readyz',
      'GET /setup/callback',
      'GET /setup/choose',
      'GET /setup/{session_id}',
      'GET /upstream/webhooks',
      'PATCH /admin/v1/accounts/{account_id}',
      'PATCH /admin/v1/channels/{channel_id}',
      'PATCH /admin/v1/people/{person_id}',
      'PATCH /admin/v1/subscriptions/{subscription_id}',
      'PATCH /api/v1/channels/{channel_id}',
      'PATCH /api/v1/channels/{channel_id}/endpoints/{endpoint_id}',
      'PATCH /api/v1/default-webhook',
      'POST /admin/v1/accounts',
      'POST /admin/v1/people/reset-link',
      'POST /admin/v1/people/{person_id}/invitation-link',
      'POST /admin/v1/accounts/{account_id}/keys',
      'POST /admin/v1/accounts/{account_id}/subscriptions',
      'POST /admin/v1/drain',
      'POST /admin/v1/quarantine/{item_id}/retry',
      'POST /api/v1/channels/exchange-code',
      'POST /api/v1/channels/setup-url',
      'POST /api/v1/channels/{channel_id}/deliveries/replay',
      'POST /api/v1/channels/{channel_id}/endpoints',
      'POST /api/v1/channels/{channel_id}/endpoints/{endpoint_id}/test',
      'POST /api/v1/channels/{channel_id}/deliveries/{delivery_id}/retry',
      'POST /api/v1/channels/{channel_id}/templates',
      'POST /api/v1/channels/{channel_id}/webhook/test',
      'POST /api/v1/media',
      'POST /api/v1/messages/send',
      'POST /api/v1/messages/send-contacts',
      'POST /api/v1/messages/send-interactive',
      'POST /api/v1/messages/send-location',
      'POST /api/v1/messages/send-media',
      'POST /api/v1/messages/send-reaction',
      'POST /api/v1/messages/send-template',
      'POST /api/v1/messages/{message_id}/read',
      'POST /api/v1/messages/{message_id}/typing',
      'POST /api/v1/redirects',
      'POST /billing/webhook',
      'POST /operators/accounts/{account_id}/given-up/{channel_id}/{delivery_id}',
      'POST /operators/accounts/{account_id}/licences',
      'POST /operators/accounts/{account_id}/licences/{subscription_id}',
      'POST /operators/accounts/{account_id}/licences/{subscription_id}/end',
      'POST /operators/accounts/{account_id}/note',
      'POST /operators/accounts/{account_id}/people/{person_id}/link',
      'POST /operators/accounts/{account_id}/people/{person_id}/one-step',
      'POST /operators/accounts/{account_id}/people/{person_id}/role',
      'POST /operators/accounts/{account_id}/reset-link',
      'POST /operators/accounts/{account_id}/resume',
      'POST /operators/accounts/{account_id}/suspend',
      'POST /operators/aside/{item_id}/drop',
      'POST /operators/aside/{item_id}/retry',
      'POST /operators/channels/{channel_id}/licence',
      'POST /operators/channels/{channel_id}/look',
      'POST /operators/channels/{channel_id}/release',
      'POST /operators/enter',
      'POST /operators/leave',
      'POST /operators/mails/{mail_id}/send',
      'POST /operators/nodes/{node_id}/drain',
      'POST /portal/account',
      'POST /portal/account/address',
      'POST /portal/account/confirmation',
      'POST /portal/account/mails',
      'POST /portal/account/second-step',
      'POST /portal/account/second-step/codes',
      'POST /portal/account/second-step/off',
      'POST /portal/account/sessions/end-others',
      'POST /portal/account/sessions/{session_id}/end',
      'POST /portal/channels/connect',
      'POST /portal/channels/{channel_id}/deliveries/{delivery_id}/retry',
      'POST /portal/channels/{channel_id}/endpoints',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/disable',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/enable',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/remove',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/secret',
      'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/test',
      'POST /portal/channels/{channel_id}/licence',
      'POST /portal/channels/{channel_id}/remove',
      'POST /portal/channels/{channel_id}/secret',
      'POST /portal/channels/{channel_id}/send',
      'POST /portal/channels/{channel_id}/templates',
      'POST /portal/channels/{channel_id}/templates/sync',
      'POST /portal/channels/{channel_id}/templates/{template_id}/delete',
      'POST /portal/channels/{channel_id}/templates/{template_id}/edit',
      'POST /portal/channels/{channel_id}/templates/{template_id}/send',
      'POST /portal/channels/{channel_id}/test',
      'POST /portal/channels/{channel_id}/test-event',
      'POST /portal/channels/{channel_id}/webhook',
      'POST /portal/confirm',
      'POST /portal/default-webhook',
      'POST /portal/default-webhook/apply',
      'POST /portal/default-webhook/secret',
      'POST /portal/deliveries/again',
      'POST /portal/deliveries/replay',
      'POST /portal/forgot',
      'POST /portal/keys',
      'POST /portal/keys/older',
      'POST /portal/keys/{key_id}/revoke',
      'POST /portal/invitation',
      'POST /portal/new-address',
      'POST /portal/people',
      'POST /portal/people/leave',
      'POST /portal/people/{person_id}',
      'POST /portal/people/{person_id}/invitation',
      'POST /portal/people/{person_id}/remove',
      'POST /portal/redirects',
      'POST /portal/redirects/{redirect_id}/remove',
      'POST /portal/reset',
      'POST /portal/sign-in',
      'POST /portal/sign-in/code',
      'POST /portal/sign-out',
      'POST /portal/sign-up',
      'POST /setup/choose',
      'POST /upstream/webhooks',
      'PUT /api/v1/channels/{channel_id}/templates/{template_id}',
    ].toSorted(),
  );
});

describe('a missing or wrong key yields 401', () => {
  test.each(named(guarded))('%s', async (_name, route) => {
    const asking = { method: route.method.toUpperCase() };
    const wrong: Record<string, string>[] = [{}, { 'x-api-key': 'mip_live_', authorization: 'Bearer wrong' }];
    for (const headers of wrong) {
      const answer = await service.ask(pathOf(route), { ...asking, headers });
      expect(answer.status).toBe(401);
      const what = route.audience === 'admin' ? 'admin token' : 'API key';
      expect(answer.body).toEqual({ detail: `Missing or invalid ${what}` });
    }
  });
});

describe('a wrong method is 405 with Allow, and with a detail or, for browsers, a page', () => {
  test.each(paths)('%s', async (path) => {
    const methods = routeTable
      .filter((route) => route.path === path)
      .map((route) => route.method.toUpperCase());
    const target = path.replaceAll(/\{\w+\}/g, someId);
    const isPage = /^\/(portal|operators|setup|docs)\b/.test(path);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (methods.includes(method)) continue;
      const answer = await service.ask(target, { method });
      expect([method, answer.status]).toEqual([method, 405]);
      if (isPage) expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      else expect(answer.body).toEqual({ detail: 'Method not allowed' });
      expect(
        answer.headers
          .get('allow')
          ?.split(', ')
          .filter((one) => one !== 'HEAD'),
      ).toEqual(methods);
    }
  });
});

describe('a route that accepts a body answers 422 for', () => {
  const bad: [string, string, unknown][] = [
    ['a list', '[]', { loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }],
    ['null', 'null', { loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }],
    ['malformed JSON', '{"a":', { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }],
    ['no body', '', { loc: ['body'], msg: 'Field required', type: 'missing' }],
  ];
  test.each(named(withBody))('%s', async (_name, route) => {
    const mayLackBody = route.audience === 'admin' && route.isBodyOptional;
    for (const [what, body, error] of bad) {
      if (mayLackBody && what === 'no body') continue;
      const asking = { method: route.method.toUpperCase(), headers: credentials(route), body };
      const answer = await service.ask(pathOf(route), asking);
      expect([what, answer.status, answer.body]).toEqual([what, 422, { detail: [error] }]);
    }
  });
});

describe('a malformed id is not found, and no function of a feature is called', () => {
  test.each(named(withId))('%s', async (_name, route) => {
    for (const id of ['1', 'ABC', '%00', '..%2f', '%24ne', `${someId}x`, someId.replace('3', 'G')]) {
      const target = route.path.replaceAll(/\{\w+\}/g, id);
      const answer = await service.ask(target, {
        method: route.method.toUpperCase(),
        headers: credentials(route),
      });
      expect([id, answer.status]).toEqual([id, 404]);
    }
  });
});

test.each(['//', '/api', '/api/v1/nothing', '/api/v1/channels/', '/API/v1/channels', '/metrics', '/admin'])(
  'unknown path %s is 404 with detail',
  async (path) => {
    const answer = await service.api(path);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found' }]);
  },
);

test('/billing/webhook is an unknown path if no signing secret is set [operator-interface §2, BILLING_WEBHOOK_SECRET]', async () => {
  const unsigned = await run({ takesBilling: false });
  const headers = { 'stripe-signature': 't=1,v1=00' };
  const answer = await unsigned.ask('/billing/webhook', { method: 'POST', headers, body: '{}' });
  await unsigned.stop();
  expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found' }]);
});
