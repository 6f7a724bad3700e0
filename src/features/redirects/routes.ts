import { addRedirect, listRedirects, removeRedirect } from './service.ts';
import { apiRoute } from '../route.ts';
import { toIso } from '../../kernel/clock.ts';
import { noBody, requestBody } from '../../http/validation/request-body.ts';
import { pagingFields } from '../../http/validation/query.ts';
import { answer } from '../../http/validation/response-body.ts';
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
} from '../../http/validation/json-schema.ts';
import { nextCursor } from '../../http/schemas/common.ts';
import { pageParameters } from '../../http/parameters.ts';
import type { Redirect } from './entity.ts';

/** [spec: Redirects] */
const redirectRequest = requestBody(
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

const redirectCreated = responseObject('RedirectCreated', { id: ourId, uri_pattern: string });

/** [spec: RedirectOut] */
const redirectOut = answer<Redirect>('RedirectOut', {
  id: [ourId, 'id'],
  uri_pattern: [string, 'uriPattern'],
  created_at: [orNull(timestamp), ({ createdAt }) => toIso(createdAt)],
});

const redirectList = responseObject('RedirectList', { redirects: listOf(redirectOut.schema) }, nextCursor);

const tag = 'Redirects';

/** [spec: Redirects] */
export const redirectRoutes = [
  apiRoute({
    get: '/api/v1/redirects',
    name: 'listRedirects',
    needs: ['admin'],
    tag,
    summary: 'Lists the allowed redirect URI patterns of this API key',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: redirectList },
    async answer({ caller, page }, { world }) {
      const found = await listRedirects(world, caller, page);
      return { redirects: found.items.map(redirectOut.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  apiRoute({
    post: '/api/v1/redirects',
    name: 'addRedirect',
    needs: ['admin'],
    tag,
    summary: 'Adds an allowed redirect URI pattern to this API key',
    description:
      'HTTPS only. `*` matches within one host label or one path segment, a trailing `/*` matches any path; the registrable domain cannot contain `*`. A key has at most 50 patterns.',
    errors: [400],
    body: redirectRequest,
    success: { status: 201, schema: redirectCreated },
    async answer({ caller, body }, { world }) {
      const redirect = await addRedirect(world, caller, body.uri_pattern);
      return { id: redirect.id, uri_pattern: redirect.uriPattern };
    },
  }),
  apiRoute({
    delete: '/api/v1/redirects/{redirect_id}',
    name: 'removeRedirect',
    needs: ['admin'],
    tag,
    summary: 'Removes a redirect URI pattern from this API key',
    body: noBody,
    does: (call, { world }) => removeRedirect(world, call.caller, call.id('redirect_id')),
  }),
];
