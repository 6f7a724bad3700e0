import { sendBytes } from '../answers.ts';
import { readRequestId } from '../middleware/request-id.ts';
import { openRoute } from '../route.ts';

/** [operator-interface §3] */
export const contractRoute = openRoute({
  get: '/openapi.json',
  name: 'contract',
  contract: {
    tag: 'Contract',
    summary: 'This OpenAPI document',
    answers: { 200: { contentType: 'application/json', description: 'OpenAPI 3.1' } },
  },
  failures: 'json',
  open: (request, response, { openApi }) => sendBytes(response, 200, [openApi()], readRequestId(request)),
});
