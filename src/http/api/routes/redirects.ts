import { apiRoute } from '../../route.ts';
import { noBody } from '../../validation/request-body.ts';
import { pagingFields } from '../../validation/query.ts';
import { redirectCreated, redirectList, redirectOut, redirectRequest } from '../schemas/redirect.ts';
import { pageParameters } from './page-parameters.ts';

const tag = 'Redirects';

/** [spec: Redirects] */
export const redirectRoutes = [
  apiRoute({
    get: '/api/v1/redirects',
    name: 'listRedirects',
    tag,
    summary: 'Lists the allowed redirect URI patterns of this API key',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: redirectList },
    async answer({ caller, page }, { useCases }) {
      const found = await useCases.listRedirects(caller, page);
      return { redirects: found.items.map(redirectOut.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  apiRoute({
    post: '/api/v1/redirects',
    name: 'addRedirect',
    tag,
    summary: 'Adds an allowed redirect URI pattern to this API key',
    description:
      'HTTPS only. `*` matches within one host label or one path segment, a trailing `/*` matches any path; the registrable domain cannot contain `*`. A key has at most 50 patterns.',
    errors: [400],
    body: redirectRequest,
    success: { status: 201, schema: redirectCreated },
    async answer({ caller, body }, { useCases }) {
      const redirect = await useCases.addRedirect(caller, body.uri_pattern);
      return { id: redirect.id, uri_pattern: redirect.uriPattern };
    },
  }),
  apiRoute({
    delete: '/api/v1/redirects/{redirect_id}',
    name: 'removeRedirect',
    tag,
    summary: 'Removes a redirect URI pattern from this API key',
    body: noBody,
    does: (call, { useCases }) => useCases.removeRedirect(call.caller, call.id('redirect_id')),
  }),
];
