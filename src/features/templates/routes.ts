import { deleteTemplate } from './remove.ts';
import { updateTemplate } from './update.ts';
import { createTemplate } from './create.ts';
import { listTemplates, readTemplate } from './list.ts';
import { apiRoute } from '../route.ts';
import { toIso } from '../../kernel/clock.ts';
import { LazyList } from '../../http/long-json.ts';
import type { Parameter } from '../../http/route.ts';
import { pagingFields, readFlag, readWord } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import * as schemas from './schemas.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';

const tag = 'Templates';
const collection = '/api/v1/channels/{channel_id}/templates';
const item = `${collection}/{template_id}`;

const listParameters: readonly Parameter[] = [
  inQuery(
    'sync',
    { type: 'boolean', default: true },
    'true: reads all templates from upstream before the response; false: returns the cached templates, which can be stale',
  ),
  inQuery(
    'status',
    { type: 'string', maxLength: 64, pattern: '^[A-Z][A-Z0-9_]*$' },
    'Only templates with this status, e.g. `APPROVED`',
  ),
  ...pageParameters,
];

/** [spec: Templates] */
export const templateRoutes = [
  apiRoute({
    get: collection,
    name: 'listTemplates',
    needs: ['messages:read', 'templates:write'],
    tag,
    summary: 'Lists the templates of the business account',
    description:
      'If upstream does not answer, the response has the cached templates and `synced` false; 502 only if the templates were never read.',
    parameters: listParameters,
    errors: [400, 402, 502],
    body: noBody,
    success: { status: 200, schema: schemas.templateList },
    async answer(call, { world }) {
      const { caller, page, query } = call;
      const asked = { sync: readFlag(query, 'sync', true), status: readWord(query, 'status'), page };
      const found = await listTemplates(world, caller, call.id('channel_id'), asked);
      const templates = new LazyList(found.page.items, schemas.templateOut.of);
      return {
        templates,
        total: templates.length,
        synced: found.synced,
        synced_at: toIso(found.syncedAt),
        ...pagingFields(page, found.page.nextCursor),
      };
    },
  }),
  apiRoute({
    post: collection,
    name: 'createTemplate',
    needs: ['templates:write'],
    tag,
    summary: 'Submits a template for review',
    description:
      'The new template is `PENDING`; a review takes up to a day. By default a business account can create 100 templates an hour; then 429, with the time to wait. The name of a deleted approved template is blocked for 30 days: 400.',
    errors: [400, 402, 502],
    body: schemas.templateCreateRequest,
    success: { status: 201, schema: schemas.templateOut.schema },
    async answer(call, { world }) {
      const { parameter_format: parameterFormat = 'positional', ...rest } = call.body;
      const { name, language, category, components } = rest;
      const draft = { name, language, category, components, parameterFormat };
      return schemas.templateOut.of(await createTemplate(world, call.caller, call.id('channel_id'), draft));
    },
  }),
  apiRoute({
    get: item,
    name: 'readTemplate',
    needs: ['messages:read', 'templates:write'],
    tag,
    summary: 'Returns one template from the cache, with its variables and their examples',
    errors: [400],
    body: noBody,
    success: { status: 200, schema: schemas.templateOut.schema },
    async answer(call, { world }) {
      const [channelId, templateId] = [call.id('channel_id'), call.id('template_id')];
      return schemas.templateOut.of(await readTemplate(world, call.caller, channelId, templateId));
    },
  }),
  apiRoute({
    put: item,
    name: 'updateTemplate',
    needs: ['templates:write'],
    tag,
    summary: 'Replaces all components of a template and submits it for review again',
    description:
      'Only APPROVED, REJECTED and PAUSED templates can be edited. By default an approved template can be edited once in 24 hours and 10 times in 30 days; then 429, with the time to wait.',
    errors: [400, 402, 502],
    body: schemas.templateUpdateRequest,
    success: { status: 200, schema: schemas.templateOut.schema },
    async answer(call, { world }) {
      const { components, category = null } = call.body;
      const [channelId, templateId] = [call.id('channel_id'), call.id('template_id')];
      const edit = { components, category };
      const template = await updateTemplate(world, call.caller, channelId, templateId, edit);
      return schemas.templateOut.of(template);
    },
  }),
  apiRoute({
    delete: item,
    name: 'deleteTemplate',
    needs: ['templates:write'],
    tag,
    summary: 'Deletes a template',
    description:
      'By default the name of an approved template is then blocked for 30 days in this language, and in all languages once its last version is deleted. A second call answers 404.',
    parameters: [
      inQuery(
        'all_languages',
        { type: 'boolean', default: false },
        'true: deletes every language version of the template; false: only this one',
      ),
    ],
    errors: [400, 402, 502],
    body: noBody,
    does(call, { world }) {
      const [channelId, templateId] = [call.id('channel_id'), call.id('template_id')];
      const options = { allLanguages: readFlag(call.query, 'all_languages', false) };
      return deleteTemplate(world, call.caller, channelId, templateId, options);
    },
  }),
];
