/** [spec: Additions, Endpoints] */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { receiverSettings, receiversOf } from '../../../src/features/endpoints/receivers.ts';
import { resealSecrets } from '../../../src/features/operators/reseal.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { readHeaders } from '../../../src/rules/webhooks/own-headers.ts';
import { silentLog } from '../../support/silent-log.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const url = 'https://crm.example/in';
const add = (over: object = {}) =>
  service.features.addEndpoint(tenant, channel.id, { url, events: ['message.received'], ...over });

describe('a new endpoint', () => {
  test('gets a secret, shown once, unless one is given', async () => {
    const made = await add();
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9]{44}$/);
    expect((await add({ secret: 'ours' })).secret).toBe('ours');
    const owner = ownerOf(channel.id, made.endpoint.id);
    const { webhookSecret } = (await receiverSettings(service, channel.id, made.endpoint.id)) ?? {};
    expect(webhookSecret && service.sealer.openText(webhookSecret, sealContext.webhookSecret(owner))).toBe(
      made.secret,
    );
  });

  test.each([
    [
      'an event that its type lacks',
      { events: ['message.received', 'message.failed'] },
      ['body', 'events', 1],
    ],
    ['an empty secret', { secret: '' }, ['body', 'secret']],
    ['a secret that is too long', { secret: 'a'.repeat(257) }, ['body', 'secret']],
    ['a header of the connection', { headers: { 'X-A': '1', Host: 'b' } }, ['body', 'headers', 'Host']],
    ['a header with a line break', { headers: { 'X-A': 'b\r\nX-B: c' } }, ['body', 'headers', 'X-A']],
    ['headers that are too long', { headers: { 'X-A': 'b'.repeat(4_096) } }, ['body', 'headers']],
    ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, ['body', 'headers']],
  ])('with %s is refused at its field', async (_, over, loc) => {
    const refused = await refusalOf(add(over));
    expect([refused.status, refused.detail]).toEqual([422, [expect.objectContaining({ loc })]]);
    expect(await service.features.listEndpoints(tenant, channel.id)).toEqual([]);
  });

  test('is the eleventh: refused', async () => {
    for (let n = 0; n < 10; n += 1) await add();
    expect(await refusalOf(add())).toEqual({
      status: 400,
      detail: 'A channel can have at most 10 further endpoints',
    });
  });
});

test('the owner of the channel knows those that take events', async () => {
  const [one, two] = [await add(), await add({ events: ['message.read'] })];
  await add({ isEnabled: false });
  const noted = [one, two].map(({ endpoint }) => ({
    ownerId: ownerOf(channel.id, endpoint.id),
    events: endpoint.events,
  }));
  expect(await receiversOf(service, channel.id)).toEqual(noted);
  expect(await receiverSettings(service, channel.id, newId())).toBeNull();
});

test('after a change of the secret the previous one signs too; null ends both', async () => {
  const { endpoint } = await add({ secret: 'old' });
  const change = (secret: string | null) =>
    service.features.updateEndpoint(tenant, channel.id, endpoint.id, { secret });
  const changed = await change('new');
  expect(changed.secret).toBe('new');
  expect(changed.endpoint).toMatchObject({ previousSecret: endpoint.secret });
  const cleared = await change(null);
  expect([cleared.secret, cleared.endpoint.secret, cleared.endpoint.previousSecret]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a change of the channel that its deliveries follow reaches the owner of the endpoint', async () => {
  const { endpoint } = await add();
  const before = service.router.asked.length;
  await service.features.updateChannel(tenant, channel.id, { ordered: true });
  expect(service.router.asked.slice(before)).toEqual([
    { channelId: channel.id, ask: { type: 'reload' } },
    { channelId: ownerOf(channel.id, endpoint.id), ask: { type: 'reload' } },
  ]);
});

test("another account's channel and endpoint are as absent ones", async () => {
  const { endpoint } = await add();
  const other = await newTenant(service);
  const own = await connectedChannel(service, other, 'pagechat');
  const { features } = service;
  const asked = [
    (channelId: string, id: string) => features.readEndpoint(other, channelId, id),
    (channelId: string, id: string) => features.updateEndpoint(other, channelId, id, { events: [] }),
    (channelId: string, id: string) => features.removeEndpoint(other, channelId, id),
  ];
  for (const ask of asked) {
    expect(await refusalOf(ask(channel.id, endpoint.id))).toEqual({
      status: 404,
      detail: 'Channel not found',
    });
    expect(await refusalOf(ask(own.id, endpoint.id))).toEqual({ status: 404, detail: 'Endpoint not found' });
  }
  expect(await features.readEndpoint(tenant, channel.id, endpoint.id)).toEqual(endpoint);
});

test('headers are not sent to another host unless they are given again [faults: 391]', async () => {
  const { endpoint } = await add({ headers: { Authorization: 'Bearer abc' } });
  const update = (patch: object) => service.features.updateEndpoint(tenant, channel.id, endpoint.id, patch);
  const other = { url: 'https://crm.example:444/in' };
  expect(await refusalOf(update(other))).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'headers'] }],
  });
  const moved = await update({ url: 'https://crm.example/other' });
  expect([moved.endpoint.url, moved.endpoint.headers]).toEqual([
    'https://crm.example/other',
    endpoint.headers,
  ]);
  expect((await update({ ...other, headers: null })).endpoint).toMatchObject({ ...other, headers: null });
  expect((await update({ url })).endpoint.url).toBe(url);
});

test('a new first key seals secrets and headers anew', async () => {
  const { endpoint } = await add({ secret: 'old', headers: { 'X-A': 'b' } });
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { secret: 'new' });
  const { sealer } = service;
  const moved = { ...sealer, describeKey: () => ({ id: 'x', isKnown: true, isNewest: false }) };
  const counters = { increment: () => undefined };
  await resealSecrets({ stores: service.stores, sealer: moved, counters, log: silentLog });
  const after = await service.features.readEndpoint(tenant, channel.id, endpoint.id);
  const owner = ownerOf(channel.id, endpoint.id);
  const opened = [after.secret, after.previousSecret].map(
    (sealed) => sealed && sealer.openText(sealed, sealContext.webhookSecret(owner)),
  );
  expect(opened).toEqual(['new', 'old']);
  expect(after.headers?.sealed).not.toBe(endpoint.headers?.sealed);
  const text = sealer.openText(after.headers!.sealed, sealContext.endpointHeaders(owner));
  expect(readHeaders(text)).toEqual(['X-A', 'b']);
});
