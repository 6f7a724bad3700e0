/** [spec: Additions, What changed] One event for each change that upstream makes, whoever learns of it, and none is lost. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { templateTenant } from '../support/templates.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
});

const good = { token: 'valid', isSubscribed: true, qualityRating: 'GREEN' } as const;
const note = (state: object) =>
  service.stores.health.noteUpstream(channel.id, { ...good, ...state }, service.clock.now());

/** What the owners were asked to emit. */
function emitted() {
  return service.router.asked.flatMap(({ channelId, ask }) =>
    ask.type === 'emit'
      ? [{ channelId, event: ask.told.event, id: ask.told.messageId, ...ask.told.data }]
      : [],
  );
}

describe('a change of a channel', () => {
  test('of quality or token is told once, with what was before', async () => {
    await note({});
    await Promise.all([note({ qualityRating: 'RED' }), note({ qualityRating: 'RED' })]);
    await note({ token: 'refused', qualityRating: null });
    await note({});
    await service.features.tellChanges();
    await service.features.tellChanges();
    const ours = { channelId: channel.id, event: 'channel.updated', id: expect.any(String) };
    expect(emitted()).toEqual([
      { ...ours, changed: 'quality', before: 'GREEN', after: 'RED', reason: null },
      {
        ...ours,
        changed: 'token',
        before: 'ok',
        after: 'token_refused',
        reason: 'Upstream refuses the access token; connect the channel again',
      },
      { ...ours, changed: 'token', before: 'token_refused', after: 'ok', reason: null },
    ]);
    expect(new Set(emitted().map(({ id }) => id)).size).toBe(3);
  });

  test('is a problem that begins, with its detail, and ends', async () => {
    const { health } = service.stores;
    const now = service.clock.now();
    await health.noteProblem(channel.id, { code: 'access_removed', detail: 'Gone.' }, now);
    await health.noteProblem(channel.id, { code: 'access_removed', detail: 'Gone!' }, now + 1);
    await health.noteProblem(channel.id, { code: 'test_push_received' }, now);
    await service.features.tellChanges();
    await health.clearProblems(channel.id, 'all', now + 2);
    await service.features.tellChanges();
    expect(emitted().map(({ id: _id, channelId: _channel, event: _event, ...said }) => said)).toEqual([
      { changed: 'access', before: 'ok', after: 'access_removed', reason: 'Gone.' },
      { changed: 'access', before: 'access_removed', after: 'ok', reason: null },
    ]);
  });

  test('that an owner does not take is told again under the same id, and of the others none waits', async () => {
    const other = await connectedChannel(service, tenant, 'pagechat');
    await service.features.updateChannel(tenant, channel.id, { webhookUrl: 'https://app.example.com/in' });
    service.router.unreachable.set(channel.id, fault('unavailable'));
    await service.stores.health.noteProblem(channel.id, { code: 'sends_blocked' }, 1);
    await service.stores.health.noteProblem(other.id, { code: 'policy_enforcement' }, 2);
    await service.features.tellChanges();
    await service.features.tellChanges();
    service.router.unreachable.clear();
    service.clock.pass(30_000);
    await service.features.tellChanges();
    await service.features.tellChanges();
    const told = emitted();
    expect(told.map(({ channelId }) => channelId)).toEqual([channel.id, other.id, channel.id]);
    expect(told[2]).toEqual(told[0]);
  });

  test('of an inactive channel is dropped', async () => {
    await service.features.deactivateChannel(tenant, channel.id);
    await service.stores.health.noteProblem(channel.id, { code: 'sends_blocked' }, 1);
    await service.features.tellChanges();
    expect(emitted()).toEqual([]);
    expect(await service.stores.health.of(channel.id)).toMatchObject({ untold: null, tellAt: null });
  });
});

describe('a change of a template', () => {
  test('is told on each channel of the account on the business account, once, from webhook or sync', async () => {
    const ours = await templateTenant(service);
    const { id, upstreamId, name, language } = await ours.create();
    const { businessAccountId } = ours.owner;
    const at = service.clock.now() + 1_000;
    service.clock.pass(2_000);
    const approved = { businessAccountId, upstreamId, at, change: { status: 'APPROVED', reason: null } };
    await Promise.all([1, 2].map(() => service.stores.templates.apply(approved, service.clock.now())));
    const [template] = await ours.known();
    if (template === undefined) throw new Error('there is no template');
    const listed = { ...template, category: 'MARKETING', quality: 'RED' };
    service.clock.pass(1_000);
    const news = { changed: [listed], goneIds: [] };
    await service.stores.templates.synced(ours.owner, news, service.clock.now(), service.clock.now());
    service.clock.pass(1_000);
    const gone = { changed: [], goneIds: [id] };
    await service.stores.templates.synced(ours.owner, gone, service.clock.now(), service.clock.now());
    await service.features.tellChanges();
    await service.features.tellChanges();
    const said = { template_id: id, template_name: name, language, reason: null };
    const same = { channelId: ours.channel.id, event: 'template.updated', id: expect.any(String), ...said };
    expect(emitted()).toEqual([
      { ...same, changed: 'status', before: 'PENDING', after: 'APPROVED' },
      { ...same, changed: 'category', before: 'UTILITY', after: 'MARKETING' },
      { ...same, changed: 'quality', before: null, after: 'RED' },
      { ...same, changed: 'status', before: 'APPROVED', after: 'DELETED' },
    ]);
  });

  test('that the client made is none', async () => {
    const ours = await templateTenant(service);
    const { id, components } = await ours.create();
    await service.stores.templates.edited(
      ours.owner,
      id,
      { status: 'APPROVED', category: 'UTILITY', components },
      service.clock.now(),
    );
    await service.stores.templates.remove(ours.owner, [id], service.clock.now());
    await service.features.tellChanges();
    expect(emitted()).toEqual([]);
  });
});
