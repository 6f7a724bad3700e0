/** Operators find the channels of a problem, page by page. [operator-interface §3] */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ListedProblem } from '../../../src/rules/channels/health.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let page: Channel;
let photo: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  page = await connectedChannel(service, tenant, 'pagechat');
  photo = await connectedChannel(service, tenant, 'photoapp');
});

const note = (id: string, code: 'sends_blocked' | 'access_removed', at: number) =>
  service.stores.health.noteProblem(id, { code }, at);

async function listed(problem: ListedProblem | null, limit = 10, cursor: PagePosition | null = null) {
  const { items, nextCursor } = await service.features.listTroubled(problem, { limit, cursor });
  return {
    found: items.map(({ channel, problems }) => [channel.id, problems.map(({ code }) => code)]),
    nextCursor,
  };
}

test('the longest troubled first, with all their problems; by code; in pages', async () => {
  await note(photo.id, 'sends_blocked', 2_000);
  await note(page.id, 'access_removed', 1_000);
  await note(page.id, 'sends_blocked', 3_000);
  const both = [
    [page.id, ['access_removed', 'sends_blocked']],
    [photo.id, ['sends_blocked']],
  ];
  expect(await listed(null)).toEqual({ found: both, nextCursor: null });
  expect((await listed('access_removed')).found).toEqual([both[0]]);
  const first = await listed('sends_blocked', 1);
  const second = await listed('sends_blocked', 1, first.nextCursor);
  expect([...first.found, ...second.found]).toEqual(both);
  expect((await listed('sends_blocked', 1, second.nextCursor)).found).toEqual([]);
});

test('channels that are inactive or gone are not listed', async () => {
  await note(newId(), 'sends_blocked', 1_000);
  await note(photo.id, 'sends_blocked', 2_000);
  await service.stores.channels.deactivate(photo.id, tenant.accountId);
  expect(await listed(null)).toEqual({ found: [], nextCursor: null });
});

test('a rare problem among 2,500 others ends a page without it, with a cursor that finds it', async () => {
  for (let at = 0; at < 2_500; at += 1) await note(newId(), 'sends_blocked', 1_000 + at);
  await note(page.id, 'access_removed', 10_000);
  const first = await listed('access_removed');
  expect([first.found, first.nextCursor === null]).toEqual([[], false]);
  expect((await listed('access_removed', 10, first.nextCursor)).found).toEqual([
    [page.id, ['access_removed']],
  ]);
});

test('refused tokens are listed on request, without other problems of the channel', async () => {
  const refused = { token: 'refused', isSubscribed: false, qualityRating: null } as const;
  await service.stores.health.noteUpstream(page.id, refused, service.clock.now());
  expect(await listed(null)).toEqual({ found: [], nextCursor: null });
  expect(await listed('token_refused')).toEqual({ found: [[page.id, ['token_refused']]], nextCursor: null });
});
