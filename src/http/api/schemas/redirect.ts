import type { Redirect } from '../../../domain/accounts/account.ts';
import { toIso } from '../../../kernel/clock.ts';
import { answer } from '../../validation/answer.ts';
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
  withExample(
    requestObject('RedirectRequest', {
      uri_pattern: {
        ...text({ maxLength: 2048 }),
        description:
          'HTTPS URI pattern. `*` matches within one host label or one path segment, a trailing `/*` matches any path; the registrable domain cannot contain `*`',
      },
    }),
    { uri_pattern: 'https://*.example.com/connected/*' },
  ),
);

export const redirectCreated = responseObject('RedirectCreated', { id: ourId, uri_pattern: string });

/** [spec: RedirectOut] */
export const redirectOut = answer<Redirect>('RedirectOut', {
  id: [ourId, ({ id }) => id],
  uri_pattern: [string, ({ uriPattern }) => uriPattern],
  created_at: [orNull(timestamp), ({ createdAt }) => toIso(createdAt)],
});

export const redirectList = responseObject(
  'RedirectList',
  { redirects: listOf(redirectOut.schema) },
  nextCursor,
);
