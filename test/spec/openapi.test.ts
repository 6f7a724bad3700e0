/**
 * [operator-interface §3; spec: Resources and their fields] Tests of /openapi.json. Every test that calls the service through `Service.call`
 * checks the answer against it; the tests here show that it has the specification's fields, that such a check can fail, and that every
 * operation was answered successfully at least once.
 */
import { fileForm } from '../support/file-form.ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventTypes } from '../../src/rules/events/table.ts';
import { routeTable } from '../support/routes.ts';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { Contract } from '../support/contract.ts';
import { allEventsAbout } from '../support/events.ts';
import { settingRows } from '../support/settings.ts';
import { newPerson } from '../support/sends.ts';
import { allowRedirect, codeIn, home, newBusiness, setupUrl } from '../support/setup.ts';
import { follow, newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { newVisitor } from '../pages/visitor.ts';

interface Schema {
  properties: Record<string, { type?: string | string[]; anyOf?: { type: string }[] }>;
  required: string[];
}

let world: World;
let contract: Contract;
let document: {
  openapi: string;
  servers: unknown;
  paths: Record<string, Record<string, { security: unknown; responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, Schema> };
};
beforeAll(async () => {
  // With every setting that adds operations.
  world = await World.open({ BILLING_WEBHOOK_SECRET: 'whsec_of_the_tour' });
  ({ body: document } = await call('GET', `${world.service.url}/openapi.json`));
  contract = await Contract.of(world.service.url);
});
afterAll(() => world.close());

/** The specification's tables: `?` marks a nullable field. */
const resources: Record<string, string> = {
  ChannelOut: `id channel_type name? is_active phone_number_id? phone_number? business_account_id? quality_rating? photoapp_account_id? photoapp_username? page_id? ${settingRows.map(({ shown }) => shown).join(' ')} connected_at? created_at? subscription`,
  ChannelListResponse: 'channels total next_cursor?',
  SubscriptionInfo: 'status source? tier? expires_at? auto_renew',
  SubscriptionOut: 'id status source tier starts_at? expires_at? auto_renew assigned_channels',
  SubscriptionAssignedChannel: 'channel_id channel_type name? is_active',
  SubscriptionsResponse: 'subscriptions total active_total available_slots next_cursor?',
  AvailableSlots: 'chatapp photoapp pagechat',
  AvailableSlotsByTier: 'total starter pro',
  RedirectOut: 'id uri_pattern created_at?',
  ChannelUpdateRequest: settingRows.map(({ given }) => given).join(' '),
  ChannelUpdateResponse: 'id webhook_url? webhook_secret? webhook_events?',
  SetupUrlRequest: 'channel_type redirect_uri channel_id?',
  SetupUrlResponse: 'setup_url session_id expires_at',
  ExchangeCodeRequest: 'code webhook_url? webhook_secret? webhook_events?',
  ExchangeCodeResponse:
    'channel_id channel_type name? phone_number_id? phone_number? photoapp_account_id? photoapp_username? page_id? webhook_url? webhook_secret? webhook_events?',
  SendMessageRequest: 'channel_id recipient text',
  SendMediaRequest: 'channel_id recipient media_type media_url caption? filename?',
  SendTemplateRequest: 'channel_id recipient template_name language variables?',
  SendTemplateResponse: 'success message_id? error? status? error_code?',
  SendMessageResponse: 'success message_id? error? status? error_code?',
  HTTPValidationError: 'detail',
  ValidationError: 'loc msg type',
};
/** What was added since. [spec: Additions] */
const added: Record<string, string> = {
  ChannelUpdateResponse: 'has_webhook_secret echo_statuses failed_retention_days keep_answers ordered',
  SendMessageRequest: 'preview_url? reply_to? tag?',
  SendMediaRequest: 'media_id? reply_to? tag? voice?',
  SendTemplateResponse: 'recipient_user_id wa_id',
  SendMessageResponse: 'recipient_user_id wa_id',
};
/** What an addition may take the place of. */
const loosened: Record<string, string> = { SendMediaRequest: 'media_url' };
const requiredOf: Record<string, string[]> = {
  ChannelUpdateRequest: [],
  SetupUrlRequest: ['channel_type', 'redirect_uri'],
  ExchangeCodeRequest: ['code'],
  SendMessageRequest: ['channel_id', 'recipient', 'text'],
  SendMediaRequest: ['channel_id', 'recipient', 'media_type', 'media_url'],
  SendTemplateRequest: ['channel_id', 'recipient', 'template_name', 'language'],
};

function fieldsOf({ properties }: Schema): string[] {
  return Object.entries(properties).map(([name, { type, anyOf = [] }]) => {
    const types = [type, ...anyOf.map((one) => one.type)].flat();
    return types.includes('null') ? `${name}?` : name;
  });
}

/** Every object in the document, with its path. */
function partsOf(value: unknown, path = ''): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    /examples?$/.test(key) ? [] : partsOf(item, `${path}.${key}`),
  );
  return [[path, Object(value)], ...inner];
}

describe('the contract has the fields of the specification', () => {
  test.each(Object.entries(resources))('%s', (title, fields) => {
    const schema = document.components.schemas[title];
    const all = [fields, added[title] ?? []].flat().join(' ').split(' ');
    const now = all.map((field) => (field === loosened[title] ? `${field}?` : field));
    expect(schema && new Set(fieldsOf(schema))).toEqual(new Set(now));
  });

  test.each(Object.entries(requiredOf))('%s requires %j', (title, required) => {
    const now = required.filter((field) => field !== loosened[title]);
    expect(new Set(document.components.schemas[title]?.required)).toEqual(new Set(now));
  });
});

test('it is OpenAPI 3.1, describes every route except the files of pages, and each operation names its authentication', () => {
  expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: world.service.url }]]);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  const inContract = routeTable.filter((route) => route.audience !== 'open' || route.contract !== undefined);
  expect(new Set(described)).toEqual(new Set(inContract.map(({ method, path }) => `${method} ${path}`)));
  const security = { api: [{ apiKey: [] }], admin: [{ adminToken: [] }], open: [] };
  for (const { method, path, audience } of inContract) {
    expect([path, document.paths[path]?.[method]?.security]).toEqual([path, security[audience]]);
  }
});

describe('constructs that validators and generated clients depend on', () => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const schemas = (): Record<string, any> => document.components.schemas;

  test('a type is one type, or one type and null; the type null alone occurs only in anyOf; every object declares its members', () => {
    const bad = partsOf(document).filter(([path, { type, properties, additionalProperties }]) => {
      if (Array.isArray(type)) return type.length !== 2 || type[1] !== 'null';
      if (type === 'null') return !/\.anyOf\.\d+$/.test(path);
      return type === 'object' && properties === undefined && additionalProperties === undefined;
    });
    expect(bad.map(([path]) => path)).toEqual([]);
  });

  test('enums of answers are open: one of the known values, or any string', () => {
    const { paths, components, ...rest } = Object(document);
    const answered = Object.entries(components.schemas).filter(
      ([name]) => !/Request$|Patch$|^ChannelType$|Input$/.test(name),
    );
    const closed = partsOf({ answered: Object.fromEntries(answered), rest }).filter(
      ([path, part]) => part['enum'] !== undefined && !path.endsWith('.anyOf.0'),
    );
    expect(Object.keys(paths).length).toBeGreaterThan(10);
    expect(closed.map(([path]) => path)).toEqual([]);
  });

  test('recipient and text have no maxLength or pattern: violations are answered with 400, not 422', () => {
    for (const name of ['SendMessageRequest', 'SendMediaRequest', 'SendTemplateRequest']) {
      const { recipient, text = {} } = schemas()[name].properties;
      for (const field of [recipient, text])
        expect(Object.keys(field)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/maxLength|pattern/)]),
        );
    }
  });

  test('the channel types are one schema, and each event allows only the types that can have it', () => {
    const [whole] = partsOf(document).filter(
      ([, part]) => String(part['enum']) === 'chatapp,photoapp,pagechat',
    );
    expect([whole?.[0], schemas()['ChannelOut'].properties.channel_type.$ref]).toEqual([
      '.components.schemas.ChannelType',
      '#/components/schemas/AnyChannelType',
    ]);
    for (const name of ['MessageSentEvent', 'MessageFailedEvent'])
      expect(schemas()[name].properties.channel_type.anyOf[0].enum).toEqual(['chatapp']);
  });

  test('events are one union, discriminated by `event`', () => {
    const { oneOf, discriminator } = schemas()['Event'];
    expect([oneOf.length, discriminator.propertyName]).toEqual([eventTypes.length + 1, 'event']);
    expect(Object.keys(discriminator.mapping)).toEqual([...eventTypes, 'webhook.test']);
  });

  test('has the defaults of the specification', () => {
    const defaults: [string, string, unknown][] = [
      ['ChannelOut', 'has_webhook_secret', false],
      ['SubscriptionInfo', 'auto_renew', false],
      ['SubscriptionOut', 'auto_renew', false],
      ['SenderProfileResponse', 'cached', false],
      ['TemplateList', 'synced', false],
      ['TemplateVariablesSummary', 'total_count', 0],
      ['TemplateCreateRequest', 'parameter_format', 'positional'],
    ];
    for (const [name, field, value] of defaults)
      expect(schemas()[name].properties[field].default).toBe(value);
  });

  test('a 400 lists the coded body first; no send is 502; a file is bytes; ids in bodies are UUIDs too', () => {
    const operation = (path: string, method: string) => Object(document.paths[path]?.[method]);
    const template = operation('/api/v1/messages/send-template', 'post').responses;
    const refs = template[400].content['application/json'].schema.anyOf.map(
      ({ $ref }: { $ref: string }) => $ref,
    );
    expect(refs).toEqual(['#/components/schemas/CodedError', '#/components/schemas/Error']);
    expect(template[200].content['application/json'].schema.$ref).toMatch(/SendTemplateResponse$/);
    // What upstream says to a look-up of the template is the outcome of the send too.
    const sends = ['send', 'send-media', 'send-template'];
    const statuses = sends.flatMap((send) =>
      Object.keys(operation(`/api/v1/messages/${send}`, 'post').responses),
    );
    expect(statuses).toContain('503');
    expect(statuses).not.toContain('502');
    const file = operation('/api/v1/media/{media_id}', 'get').responses[200].content;
    expect(Object.keys(file)).toEqual(['application/octet-stream']);
    expect(schemas()['SendMessageRequest'].properties.channel_id.format).toBe('uuid');
    expect(schemas()['ChannelOut'].properties.id.format).toBe('uuid');
  });
});

describe('webhooks', () => {
  const examples = () =>
    Object.entries(Object(document).webhooks).map(([event, webhook]) => {
      const { post } = Object(webhook);
      return [event, post.requestBody.content['application/json'].example];
    });
  const headers = {
    'x-webhook-id': '1',
    'x-webhook-attempt': '1',
    'x-webhook-timestamp': '1',
    'webhook-id': '1',
    'webhook-timestamp': '1',
  };

  test('every event is described, with an example that conforms', () => {
    expect(examples().map(([event]) => event)).toEqual([...eventTypes, 'webhook.test']);
    for (const [event, example] of examples())
      expect(contract.problemOfWebhook(event, example, headers)).toBeNull();
  });

  test('a webhook that differs from the description is found', () => {
    const [event, example] = examples()[0] ?? [];
    expect(contract.problemOfWebhook('message.eaten', {}, headers)).toContain('not described');
    expect(contract.problemOfWebhook(event, example, {})).toBe('message.received lacks X-Webhook-Id');
    expect(contract.problemOfWebhook(event, { ...example, more: 1 }, headers)).toContain('additional');
    const data = { ...example.data, message_id: undefined };
    expect(contract.problemOfWebhook(event, { ...example, data }, headers)).toContain('message_id');
  });
});

test('every schema is a valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const { components } = document;
  for (const schema of Object.values(components.schemas)) {
    expect(() => ajv.compile({ ...schema, components })).not.toThrow();
  }
});

describe('an answer that differs from the description is found', () => {
  const answer = (status: number, body: unknown, type = 'application/json'): Answer => ({
    status,
    headers: new Headers({ 'content-type': type }),
    text: JSON.stringify(body),
    body,
  });
  const id = '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f';
  const good = { redirects: [{ id, uri_pattern: 'y', created_at: null }] };

  test.each([
    ['a good one is not', answer(200, good), null],
    ['another status', answer(418, {}), 'GET /api/v1/redirects does not describe 418'],
    ['another type', answer(200, good, 'text/html'), 'GET /api/v1/redirects 200 does not describe text/html'],
    ['a missing field', answer(200, {}), "must have required property 'redirects'"],
    ['a field too many', answer(200, { ...good, secret: 1 }), 'must NOT have additional properties'],
    [
      'a field too many, deeper',
      answer(200, { redirects: [{ ...good.redirects[0], apiKeyId: 'x' }] }),
      'must NOT have additional properties',
    ],
    ['a wrong type', answer(401, { detail: [] }), 'data/detail must be string'],
  ])('%s', (_name, given, problem) => {
    const found = contract.problemOf('GET', '/api/v1/redirects?limit=1', given);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  test('also an answer of another operation whose path matches too', () => {
    expect(contract.operationOf('GET', '/setup/callback?state=x')).toBe('GET /setup/callback');
    expect(contract.operationOf('GET', '/setup/0')).toBe('GET /setup/{session_id}');
    expect(contract.operationOf('PUT', '/setup/0')).toBeNull();
  });
});

async function tourTemplates(
  // oxlint-disable-next-line typescript/no-explicit-any
  api: (method: string, path: string, body?: unknown) => Promise<any>,
  channel: { id: string },
): Promise<void> {
  const path = `/api/v1/channels/${channel.id}/templates`;
  const { templates } = await api('GET', `${path}?status=APPROVED&limit=10`);
  const components = [{ type: 'BODY', text: 'Your order is ready.' }];
  const hello = { template_name: 'hello_world', language: 'en_US' };
  await api('POST', '/api/v1/messages/send-template', {
    channel_id: channel.id,
    recipient: '4915901',
    ...hello,
  });
  const one = `${path}/${templates[0].id}`;
  await api('GET', one);
  await api('PUT', one, { components });
  const made = await api('POST', path, { name: 'tour', language: 'de', category: 'UTILITY', components });
  await api('DELETE', `${path}/${made.id}?all_languages=true`);
}

async function tourCards(
  // oxlint-disable-next-line typescript/no-explicit-any
  api: (method: string, path: string, body?: unknown) => Promise<any>,
  channel: Channel,
): Promise<void> {
  const to = { channel_id: channel.id, recipient: newPerson('chatapp') };
  const place = await api('POST', '/api/v1/messages/send-location', {
    ...to,
    latitude: 52.5,
    longitude: 13.4,
  });
  const contacts = [{ name: 'Mia Vogt' }];
  await api('POST', '/api/v1/messages/send-contacts', { ...to, contacts });
  await api('POST', '/api/v1/messages/send-reaction', { ...to, message_id: place.message_id, emoji: '👍' });
  await tourEndpoints(api, channel.id);
  await api('GET', '/api/v1/default-webhook');
  await api('PATCH', '/api/v1/default-webhook', { failed_retention_days: 3 });
}

async function tourEndpoints(
  // oxlint-disable-next-line typescript/no-explicit-any
  api: (method: string, path: string, body?: unknown) => Promise<any>,
  channelId: string,
): Promise<void> {
  const path = `/api/v1/channels/${channelId}/endpoints`;
  const endpoint = await api('POST', path, { url: world.inbox.url, events: ['message.received'] });
  await api('GET', path);
  await api('GET', `${path}/${endpoint.id}`);
  await api('PATCH', `${path}/${endpoint.id}`, { is_enabled: false });
  await api('POST', `${path}/${endpoint.id}/test`);
  await api('DELETE', `${path}/${endpoint.id}`);
}

/** Deliveries of a channel whose receiver is unreachable: the webhook stays pending. */
async function tourDeliveries(
  // oxlint-disable-next-line typescript/no-explicit-any
  api: (method: string, path: string, body?: unknown) => Promise<any>,
  channel: Channel,
): Promise<void> {
  const path = `/api/v1/channels/${channel.id}`;
  await world.write(channel, { text: 'hello', wait: true }, newPerson('chatapp'));
  const { deliveries } = await api('GET', `${path}/deliveries?limit=10&state=pending`);
  await api('POST', `${path}/deliveries/${deliveries[0].id}/retry`);
  await api('POST', `${path}/deliveries/replay`, { since: '2026-01-01T00:00:00Z' });
  await api('GET', `${path}/deliveries`);
  await api('GET', '/api/v1/messages?limit=2');
  await api('GET', '/api/v1/requests?limit=2');
  await api('POST', `${path}/webhook/test`);
}

/** The id of a person who was invited in the portal. */
async function newInvitation(at: World): Promise<string> {
  const owner = await newVisitor(at);
  await owner.post('/portal/people', { email: 'toured@example.com', role: 'viewer' });
  const { text } = await owner.ask('/portal/people');
  return /"\/portal\/people\/([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
}

test('every operation of clients and operators is answered successfully, as described', async () => {
  const succeeded = new Set<string>();
  const { service } = world;
  const account = await newAccount(service);
  const { key, accountId, subscriptionId } = account;
  const noted = (method: string, path: string, { status, text, body }: Answer) => {
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    succeeded.add(contract.operationOf(method, path) ?? '');
    return body;
  };
  const api = async (method: string, path: string, body?: unknown) =>
    noted(method, path, await service.call(method, path, { key, body }));
  const admin = async (method: string, path: string, body?: unknown) =>
    noted(method, `/admin/v1${path}`, await service.admin(method, path, body));

  await admin('POST', '/accounts', { email: 'tour@example.com', name: null, tier: null });
  await admin('POST', '/people/reset-link', { email: 'tour@example.com' });
  await admin('POST', `/people/${await newInvitation(world)}/invitation-link`);
  await admin('GET', '/accounts?email=tour%40example.com');
  await admin('GET', `/accounts/${accountId}`);
  const { accounts } = await admin('GET', '/accounts');
  const people = await Promise.all(
    accounts.map(
      async ({ account_id }: { account_id: string }) =>
        (await admin('GET', `/accounts/${account_id}`)).people,
    ),
  );
  const { person_id } = people.flat().find(({ email }) => email === 'toured@example.com');
  await admin('PATCH', `/people/${person_id}`, { role: 'owner' });
  await admin('DELETE', `/people/${person_id}/second-step`);
  await admin('PATCH', `/accounts/${accountId}`, { suspended: false });
  await admin('GET', `/audit?account_id=${accountId}&actor=operator`);
  const { api_key_id: spare } = await admin('POST', `/accounts/${accountId}/keys`);
  await admin('DELETE', `/keys/${spare}`);
  await admin('POST', `/accounts/${accountId}/subscriptions`, { tier: 'pro', source: 'enterprise' });
  await admin('PATCH', `/subscriptions/${subscriptionId}`, { tier: 'pro' });
  await allowRedirect(service, key);
  noted('POST', '/api/v1/channels/setup-url', await setupUrl(service, key, 'chatapp'));
  const { body: started } = await setupUrl(service, key, 'pagechat');
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
  const code = codeIn(await follow(started.setup_url, home));
  const { channel_id: id } = await api('POST', '/api/v1/channels/exchange-code', { code });
  await api('GET', '/api/v1/channels?limit=10');
  await api('GET', `/api/v1/channels/${id}`);
  await api('GET', `/api/v1/channels/${id}/health`);
  await api('GET', `/api/v1/channels/${id}/profile/88001`);
  await api('PATCH', `/api/v1/channels/${id}`, { webhook_events: [] });
  const text = { channel_id: id, recipient: '88001', text: 'hello' };
  const { message_id: messageId } = await api('POST', '/api/v1/messages/send', text);
  await api('GET', `/api/v1/channels/${id}/messages/${messageId}`);
  await admin('GET', `/messages/${messageId}`);
  const media_url = 'https://files.example/cake.jpg';
  const file = { channel_id: id, recipient: '88001', media_type: 'image', media_url };
  await api('POST', '/api/v1/messages/send-media', file);
  const image = new File(['jpg'], 'a.jpg', { type: 'image/jpeg' });
  await api('POST', '/api/v1/media', fileForm({ channel_id: id, media_type: 'image' }, image));
  const buttons = [{ id: 'yes', title: 'Yes' }];
  await api('POST', '/api/v1/messages/send-interactive', { ...text, interactive_type: 'buttons', buttons });
  const chatapp = await world.connect(account, 'chatapp', { webhookUrl: 'http://127.0.0.1:9/' });
  await tourTemplates(api, chatapp);
  await tourCards(api, chatapp);
  await tourDeliveries(api, chatapp);
  await api('GET', '/api/v1/subscriptions');
  const { id: redirect } = await api('POST', '/api/v1/redirects', { uri_pattern: 'https://b.example.com/' });
  await api('GET', '/api/v1/redirects');
  await api('DELETE', `/api/v1/redirects/${redirect}`);
  await admin('GET', `/channels/${id}`);
  await admin('GET', '/nodes');
  await admin('GET', '/upstream');
  await admin('GET', '/mails');
  await admin('GET', '/quarantine');
  await admin('GET', '/failing');
  await admin('GET', '/upstream');
  await admin('GET', '/channels?problem=access_removed');
  await admin('PATCH', `/channels/${id}`, { subscription_id: subscriptionId });
  const sender = newPerson('pagechat');
  const other = await newBusiness(world.simulator);
  const pictured = await world.connected('pagechat', { upstream: other.pages[0]?.id ?? '' });
  await world.write(pictured, { type: 'image' }, sender);
  const [told] = await allEventsAbout(world, pictured, sender, 1);
  const picture = `/api/v1/media/${Object(told?.data['media']).media_id}`;
  noted('GET', picture, await service.call('GET', picture, { key: pictured.key }));
  const about = `/api/v1/messages/${String(told?.data['message_id'])}`;
  for (const signal of ['read', 'typing'])
    noted(
      'POST',
      `${about}/${signal}`,
      await service.call('POST', `${about}/${signal}`, {
        key: pictured.key,
        body: { channel_id: pictured.id },
      }),
    );
  await api('DELETE', `/api/v1/channels/${id}`);
  await admin('DELETE', `/channels/${id}/claim`);
  await admin('POST', '/drain');

  // spec/quarantine and spec/media-crash check these against the contract: one of them takes two crashes.
  const elsewhere = new Set(['dropQuarantined', 'retryQuarantined']);
  const guarded = routeTable.filter(({ audience, name }) => audience !== 'open' && !elsewhere.has(name));
  expect(succeeded).toEqual(new Set(guarded.map(({ method, path }) => `${method.toUpperCase()} ${path}`)));
});

test('redocly lint reports only the union of events and three pages of the setup flow that only redirect', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  const said = problems.map(
    ({ severity, ruleId, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`,
  );
  const redirects = ['/setup/callback/get', '/setup/choose/post', '/setup/{session_id}/get'];
  const pointerOf = (path: string): string => {
    const at = path.lastIndexOf('/');
    return `#/paths/${path.slice(0, at).replaceAll('/', '~1')}${path.slice(at)}/responses`;
  };
  const expected = redirects.map((path) => `warn operation-2xx-response ${pointerOf(path)}`);
  // No operation refers to the union: it is for receivers, which need one type of all events.
  expected.unshift('warn no-unused-components #/components/schemas/Event');
  // The server of every test is on localhost.
  expect(said.filter((each) => !each.includes('no-server-example.com')).toSorted()).toEqual(expected);
});
