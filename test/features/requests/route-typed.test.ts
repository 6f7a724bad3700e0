/** [portal: Requests] A route is found by what a person has: a URL out of a log. */
import { expect, test } from '@jest/globals';
import { routeIn } from '../../../src/features/requests/route-typed.ts';

test.each([
  ['/api/v1/messages/send', '/api/v1/messages/send'],
  ['messages/send', '/api/v1/messages/send'],
  ['/messages/send', '/api/v1/messages/send'],
  ['POST /api/v1/messages/send', '/api/v1/messages/send'],
  ['https://api.example.com:8443/api/v1/channels?limit=5', '/api/v1/channels'],
  ['/api/v1/channels/setup-url', '/api/v1/channels/setup-url'],
  ['/api/v1/channels/0b1c/templates/77?x=1#y', '/api/v1/channels/{channel_id}/templates/{template_id}'],
  ['/api/v1/channels/{channel_id}', '/api/v1/channels/{channel_id}'],
  ['/api/v1/nothing', '/api/v1/nothing'],
  ['/admin/v1/accounts', '/admin/v1/accounts'],
  ['', ''],
])('%j means %j', (text, route) => {
  expect(routeIn(text)).toBe(route);
});
