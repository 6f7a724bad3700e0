import {
  listOf,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  text,
  timestamp,
  withExample,
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';
import { nextCursor } from './common.ts';

/** [spec: Redirects] */
export const redirectRequest = requestBody<{ uri_pattern: string }>(
  withExample(requestObject('RedirectRequest', { uri_pattern: text({ maxLength: 2048 }) }), {
    uri_pattern: 'https://*.example.com/connected/*',
  }),
);

export const redirectCreated = responseObject('RedirectCreated', { id: ourId, uri_pattern: string });

/** [spec: RedirectOut] */
const redirectOut = responseObject('RedirectOut', {
  id: ourId,
  uri_pattern: string,
  created_at: orNull(timestamp),
});

export const redirectList = responseObject('RedirectList', { redirects: listOf(redirectOut) }, nextCursor);
