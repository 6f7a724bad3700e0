import { describe, expect, test } from '@jest/globals';
import {
  sampleTemplateCreate,
  sampleTemplateCreated,
  sampleTemplateEdit,
  sampleTemplatePage,
  sampleTemplateRefusal,
} from './samples/templates.ts';
import { channelOf, faultOf, json, proof, raw } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const channel = channelOf('chatapp');
const [item] = sampleTemplatePage.data;

const { server, upstream, lines } = await openUpstream();

function pageWith(items: unknown[], after: string | null = null): Reply {
  const paging =
    after === null ? {} : { paging: { cursors: { before: 'B', after }, next: 'https://evil.example' } };
  return json({ data: items, ...paging });
}

describe('listing templates [upstream §6.1]', () => {
  test('each page is requested by its cursor, never by the URL in the answer', async () => {
    server.script(pageWith([item], 'ONE'), pageWith([{ ...item, id: '92' }], 'TWO'), pageWith([]));
    const found = await upstream.templates.list(channel);
    expect(found.map(({ upstreamId }) => upstreamId)).toEqual(['900000000000091', '92']);
    expect(server.received.map(({ path, query }) => [path, query['after']])).toEqual([
      ['/311200000000001/message_templates', undefined],
      ['/311200000000001/message_templates', 'ONE'],
      ['/311200000000001/message_templates', 'TWO'],
    ]);
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      query: { limit: '100', appsecret_proof: proof },
      headers: { authorization: 'Bearer EAAexampletoken' },
    });
  });

  test('a template is returned in our terms', async () => {
    server.script(json(sampleTemplatePage));
    expect(await upstream.templates.list(channel)).toEqual([
      {
        upstreamId: '900000000000091',
        name: 'order_ready',
        language: 'en_US',
        category: 'UTILITY',
        status: 'APPROVED',
        components: sampleTemplatePage.data[0]?.components,
        parameterFormat: 'positional',
        quality: 'GREEN',
        rejectedReason: null,
      },
    ]);
  });

  test('an id beyond 2^53 and unknown statuses and categories are kept', async () => {
    server.script(pageWith([{ ...item, id: '12345678901234567', status: 'SLEEPING', category: 'NEW' }]));
    expect(await upstream.templates.list(channel)).toMatchObject([
      { upstreamId: '12345678901234567', status: 'SLEEPING', category: 'NEW' },
    ]);
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 'x' : [nested(depth - 1)];
  }

  test.each([
    ['a number in place of an object', 7],
    ['no members', {}],
    ['no id', { ...item, id: undefined }],
    ['an id that was a float', { ...item, id: 1.5 }],
    ['a name of 513 characters', { ...item, name: 'x'.repeat(513) }],
    ['a status that is a list', { ...item, status: ['APPROVED'] }],
    ['a hundred components', { ...item, components: Array.from({ length: 100 }, () => ({ type: 'BODY' })) }],
    ['components a thousand deep', { ...item, components: [{ type: 'BODY', example: nested(1_000) }] }],
  ])('an item with %s is left out, and the others are kept', async (_, odd) => {
    server.script(pageWith([odd, item]));
    expect(await upstream.templates.list(channel)).toHaveLength(1);
    expect(lines.join('')).toContain('upstream.templates-malformed');
  });

  test('an id beyond 2^53 that is written as a number keeps every digit', async () => {
    const page = JSON.stringify({ data: [item] }).replace(JSON.stringify(item?.id), '12345678901234567');
    server.script(raw(page));
    expect(await upstream.templates.list(channel)).toMatchObject([{ upstreamId: '12345678901234567' }]);
  });

  test.each([
    ['never ends', [pageWith([item], 'SAME')]],
    ['has no list', [json({ data: 'x' })]],
    ['is HTML', [raw('<html>')]],
    ['ends in an error', [pageWith([item], 'ONE'), json({ error: { code: 2, message: 'down' } }, 503)]],
  ])('a list that %s fails', async (_, replies) => {
    server.script(...replies);
    expect((await faultOf(upstream.templates.list(channel))).code).toBe('upstream_failed');
  });
});

describe('creating, editing and deleting [upstream §6.2, §6.3]', () => {
  test('a new template is sent in upstream’s terms', async () => {
    server.script(json(sampleTemplateCreated));
    const { name, language, category, components } = sampleTemplateCreate;
    const made = { name, language, category, components, parameterFormat: 'named' } as const;
    expect(await upstream.templates.create(channel, made)).toEqual({
      upstreamId: '900000000000092',
      status: 'PENDING',
      category: 'MARKETING',
    });
    expect(server.received[0]).toMatchObject({ method: 'POST', path: '/311200000000001/message_templates' });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual(sampleTemplateCreate);
  });

  test('an edit names the template by its id and carries the category only if it changes', async () => {
    server.script(json({ success: true, id: '92' }));
    const { components, category } = sampleTemplateEdit;
    await upstream.templates.edit(channel, '900000000000092', { components, category });
    await upstream.templates.edit(channel, '900000000000092', { components, category: null });
    expect(server.received.map(({ path }) => path)).toEqual(['/900000000000092', '/900000000000092']);
    expect(server.received.map(({ body }): unknown => JSON.parse(body))).toEqual([
      sampleTemplateEdit,
      { components },
    ]);
  });

  test('a deletion names one version by name and id, or all languages by the name alone', async () => {
    server.script(json({ success: true }));
    await upstream.templates.remove(channel, 'order_ready', '900000000000091');
    await upstream.templates.remove(channel, 'order_ready', null);
    expect(server.received.map(({ method, query: { name, hsm_id: id } }) => [method, name, id])).toEqual([
      ['DELETE', 'order_ready', '900000000000091'],
      ['DELETE', 'order_ready', undefined],
    ]);
  });

  test('a template that upstream does not know counts as deleted', async () => {
    server.script(json({ error: { code: 100, error_subcode: 2593002, message: 'no' } }, 400));
    await expect(upstream.templates.remove(channel, 'order_ready', '1')).resolves.toBeUndefined();
  });

  describe('a deletion of something that is not there, or may not be seen (100/33)', () => {
    const refused = json({ error: { code: 100, error_subcode: 33, message: 'cannot be loaded' } }, 400);

    test.each([
      ['another version', '999', 'order_ready'],
      ['another name', null, 'other'],
    ])('succeeds if the list has only %s', async (_, upstreamId, name) => {
      server.script(refused, json({ data: [item] }));
      await expect(upstream.templates.remove(channel, name, upstreamId)).resolves.toBeUndefined();
      expect(server.received.map(({ method }) => method)).toEqual(['DELETE', 'GET']);
    });

    test.each([
      ['has it', json({ data: [item] })],
      ['is unreadable', json({ error: { code: 100, error_subcode: 33, message: 'no' } }, 400)],
    ])('fails if the list %s', async (_, list) => {
      server.script(refused, list);
      const { name, id } = { name: String(item?.name), id: String(item?.id) };
      expect((await faultOf(upstream.templates.remove(channel, name, id))).code).toBe('upstream_refused');
    });
  });

  const edit = () => upstream.templates.edit(channel, '92', { components: [], category: null });

  test('upstream’s sentence for people and its codes are passed on', async () => {
    server.script(json(sampleTemplateRefusal, 400));
    expect((await faultOf(edit())).detail).toBe(
      'Upstream refused the request: Content in this language already exists: ' +
        'There is already en_US content for this template. (code 100, subcode 2388024)',
    );
  });

  test.each([
    [{ code: 100, error_subcode: 2388039 }, 'upstream_refused', 400],
    [{ code: 200 }, 'upstream_refused', 400],
    [{ code: 190 }, 'upstream_refused', 400],
    [{ code: 192 }, 'upstream_refused', 400],
    [{ code: 200002 }, 'upstream_refused', 400],
    [{ code: 80008 }, 'upstream_busy', 429],
    [{ code: 4 }, 'upstream_busy', 429],
    [{ code: 1 }, 'upstream_failed', 502],
    [{ code: 2 }, 'upstream_failed', 502],
    [{ code: 7_777_777 }, 'upstream_failed', 502],
    [{}, 'upstream_failed', 502],
  ])('a refusal with %j becomes the fault %s', async (error, code, status) => {
    server.script(json({ error: { message: 'access_token=EAAsecretsecret', ...error } }, 400));
    expect(await faultOf(edit())).toMatchObject({ code, status });
  });

  test.each([
    ['is empty', json({})],
    ['has success false', json({ success: false })],
    ['is HTML', raw('<html>')],
  ])('an answer that %s is a failure', async (_, reply) => {
    server.script(reply);
    expect((await faultOf(edit())).code).toBe('upstream_failed');
    const create = upstream.templates.create(channel, {
      name: 'n', language: 'de', category: 'UTILITY', parameterFormat: 'positional', components: [],
    }); // oxfmt-ignore
    expect((await faultOf(create)).code).toBe('upstream_failed');
  });
});
