import { describe, expect, test } from '@jest/globals';
import { unknownHealth } from '../../../src/rules/channels/health.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { Activity } from '../../../src/features/channels/health-store.ts';

export function describeChannelHealth(name: string, open: Open): void {
  describe(`${name}: health of channels`, () => {
    const store = withStore(open);
    const good = { token: 'valid', isSubscribed: true, qualityRating: 'GREEN' } as const;
    const refused = { token: 'refused', isSubscribed: null, qualityRating: null } as const;

    test('a channel without notes has no health', async () => {
      expect(await store.current.stores.health.of(newId())).toBeNull();
    });

    test("upstream's last report is kept", async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      await health.noteUpstream(channelId, good, noon);
      expect(await health.of(channelId)).toEqual({ ...unknownHealth(channelId), ...good, checkedAt: noon });
      await health.noteUpstream(channelId, refused, noon + 1);
      expect(await health.of(channelId)).toEqual({
        ...unknownHealth(channelId),
        ...refused,
        checkedAt: noon + 1,
        problemsVersion: 1,
        untold: [expect.objectContaining({ changed: 'token', before: 'ok', after: 'token_refused' })],
        tellAt: 0,
      });
      await health.noteUpstream(channelId, { ...good, isSubscribed: false }, noon + 2);
      expect(await health.of(channelId)).toMatchObject({ isSubscribed: false, token: 'valid' });
    });

    test('of two nodes that learn of a change one puts it on record, until it is told', async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      await health.noteUpstream(channelId, good, noon);
      const red = { ...good, qualityRating: 'RED' };
      await Promise.all([
        health.noteUpstream(channelId, red, noon + 1),
        health.noteUpstream(channelId, red, noon + 2),
        health.noteProblem(channelId, { code: 'sends_blocked' }, noon),
      ]);
      const mine = async (now: number) =>
        (await health.untold(now, 1_000)).filter((each) => each.channelId === channelId);
      const [found] = await mine(noon);
      const changes = found?.untold ?? [];
      const said = changes.map(({ changed, after }) => `${changed} ${after}`);
      expect(said.toSorted()).toEqual(['quality RED', 'sending sends_blocked']);
      await health.tellLater(channelId, noon + 5);
      expect([(await mine(noon + 4)).length, (await mine(noon + 5)).length]).toEqual([0, 1]);
      await health.told(channelId, new Set(changes.slice(0, 1).map(({ id }) => id)));
      expect((await mine(noon + 5))[0]?.untold).toEqual(changes.slice(1));
      await health.told(channelId, new Set(changes.map(({ id }) => id)));
      expect(await mine(noon + 5)).toEqual([]);
      await health.tellLater(channelId, noon);
      expect(await mine(noon + 5)).toEqual([]);
    });

    test('channels whose token is refused are found, until the token is accepted again', async () => {
      const { health } = store.current.stores;
      const [one, other] = [newId(), newId()];
      await health.noteUpstream(one, refused, noon);
      await health.noteUpstream(other, good, noon);
      await health.noteActivity([{ channelId: newId(), inboundAt: noon }]);
      const idsOf = async () => (await health.refused(1_000)).map(({ channelId }) => channelId);
      const found = await idsOf();
      expect([found.includes(one), found.includes(other)]).toEqual([true, false]);
      await health.noteUpstream(one, good, noon + 1);
      expect((await idsOf()).includes(one)).toBe(false);
    });

    test('channels of an account in trouble are found: refused, failing, unsubscribed, with a problem; no others', async () => {
      const { health } = store.current.stores;
      const accountId = newId();
      const [silent, failing, troubled, well, foreign] = [newId(), newId(), newId(), newId(), newId()];
      const [deaf, foreignDeaf] = [newId(), newId()];
      await health.noteActivity([{ channelId: failing, deliveryFailedAt: noon, failingSince: noon }]);
      await health.noteProblem(troubled, { code: 'access_removed' }, noon);
      for (const id of [failing, troubled, well]) await health.noteUpstream(id, good, noon);
      for (const id of [silent, foreign]) await health.noteUpstream(id, refused, noon);
      for (const id of [deaf, foreignDeaf])
        await health.noteUpstream(id, { ...good, isSubscribed: false }, noon);
      for (const id of [silent, failing, troubled, well, deaf]) await health.noteAccount({ id, accountId });
      for (const id of [foreign, foreignDeaf]) await health.noteAccount({ id, accountId: newId() });
      expect(await health.ailing(accountId, 9)).toEqual([[silent], [deaf], [troubled], [failing]]);
      expect(await health.failingOf(accountId, 9)).toEqual([failing]);
      await health.noteActivity([{ channelId: failing, deliveredAt: noon + 1 }]);
      await health.clearProblems(troubled, 'all', noon);
      await health.noteUpstream(deaf, good, noon + 1);
      expect(await health.ailing(accountId, 9)).toEqual([[silent], [], [], []]);
      await health.forgetAccount(silent);
      expect(await health.ailing(accountId, 9)).toEqual([[], [], [], []]);
      await health.noteAccount({ id: silent, accountId });
      expect(await health.ailing(accountId, 9)).toEqual([[silent], [], [], []]);
    });

    test('a problem on record keeps its beginning, through probes and notes, until it is cleared', async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      const pending = { code: 'registration_pending', nextTryAt: noon + 60 } as const;
      expect(await health.noteProblem(channelId, pending, noon)).toBe(true);
      expect(await health.noteProblem(channelId, { ...pending, nextTryAt: noon + 90 }, noon + 1)).toBe(false);
      await health.noteUpstream(channelId, good, noon + 2);
      await health.noteActivity([{ channelId, inboundAt: noon + 3 }]);
      const found = await health.of(channelId);
      expect(found).toMatchObject({ token: 'valid', inboundAt: noon + 3, troubledSince: noon });
      expect(found?.problems).toEqual([
        {
          code: 'registration_pending',
          since: noon,
          detail: expect.any(String),
          affects: ['send', 'receive'],
          nextTryAt: noon + 90,
        },
      ]);
      expect(await health.clearProblems(channelId, ['sends_paused'], noon)).toEqual([]);
      expect(await health.clearProblems(channelId, ['registration_pending', 'sends_paused'], noon)).toEqual([
        'registration_pending',
      ]);
      expect(await health.of(channelId)).toMatchObject({ problems: null, troubledSince: null });
      expect(await health.noteProblem(channelId, pending, noon + 4)).toBe(true);
    });

    test('of problems noted and cleared at the same time none is lost', async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      await health.noteProblem(channelId, { code: 'test_push_received' }, noon);
      const [, news] = await Promise.all([
        health.clearProblems(channelId, ['test_push_received'], noon),
        Promise.all(
          (['access_removed', 'access_removed', 'sends_paused', 'account_disabled'] as const).map((code) =>
            health.noteProblem(channelId, { code }, noon + 1),
          ),
        ),
      ]);
      expect(news.filter((isNew) => isNew)).toHaveLength(3);
      const { problems } = (await health.of(channelId)) ?? {};
      expect(problems?.map(({ code }) => code).toSorted()).toEqual([
        'access_removed',
        'account_disabled',
        'sends_paused',
      ]);
      expect(await health.clearProblems(channelId, 'all', noon)).toHaveLength(3);
    });

    test('troubled channels are found, the longest troubled first', async () => {
      const { health } = store.current.stores;
      const [late, early, over] = [newId(), newId(), newId()];
      await health.noteProblem(late, { code: 'sends_paused' }, 7);
      await health.noteProblem(early, { code: 'sends_paused' }, 8);
      await health.noteProblem(early, { code: 'access_removed' }, 6);
      await health.noteProblem(over, { code: 'access_removed' }, 5);
      await health.clearProblems(over, 'all', noon);
      const idsOf = async (limit: number) => (await health.troubled(limit)).map((each) => each.channelId);
      expect(await idsOf(2)).toEqual([early, late]);
      expect(await idsOf(1)).toEqual([early]);
      const [first] = await health.troubled(1);
      expect((await health.troubled(1, first)).map(({ channelId }) => channelId)).toEqual([late]);
    });

    test('of several channels, those with notes are returned', async () => {
      const { health } = store.current.stores;
      const [one, other] = [newId(), newId()];
      await health.noteActivity([{ channelId: one, inboundAt: noon }]);
      await health.noteActivity([{ channelId: newId(), inboundAt: noon }]);
      expect(await health.ofAll([one, other])).toEqual([{ ...unknownHealth(one), inboundAt: noon }]);
      expect(await health.ofAll([])).toEqual([]);
    });

    test('active channels are listed by id, whoever owns them', async () => {
      const { channels } = store.current.stores;
      const found = await channels.activeAfter('', 1_000);
      const ids = found.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(await channels.activeAfter(ids.at(-1) ?? '', 10)).toEqual([]);
    });

    test("times only increase, each on its own, and do not change upstream's report", async () => {
      const { health } = store.current.stores;
      const [one, other] = [newId(), newId()];
      await health.noteUpstream(one, good, noon);
      await health.noteActivity([
        { channelId: one, inboundAt: noon + 5 },
        { channelId: other, statusAt: noon },
      ]);
      await health.noteActivity([{ channelId: one, inboundAt: noon + 4, deliveredAt: noon + 7 }]);
      await health.noteActivity([{ channelId: one, deliveryFailedAt: noon + 8, deliveredAt: noon + 6 }]);
      await health.noteActivity([]);
      expect(await health.of(one)).toEqual({
        ...unknownHealth(one),
        ...good,
        checkedAt: noon,
        inboundAt: noon + 5,
        deliveredAt: noon + 7,
        deliveryFailedAt: noon + 8,
      });
      expect(await health.of(other)).toEqual({ ...unknownHealth(other), statusAt: noon });
    });

    test('of calls that register a number, one a minute and eight in 72 hours are counted, also by many at once', async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      const [minute, hour] = [60_000, 3_600_000];
      const claims = await Promise.all(
        Array.from({ length: 10 }, () => health.claimRegistration(channelId, noon)),
      );
      expect(claims.filter((allowedAt) => allowedAt === null)).toHaveLength(1);
      expect(new Set(claims)).toEqual(new Set([null, noon + minute]));
      await health.noteProblem(channelId, { code: 'registration_pending' }, noon);
      await health.clearProblems(channelId, 'all', noon);
      for (let call = 1; call < 8; call += 1)
        expect(await health.claimRegistration(channelId, noon + call * hour)).toBe(null);
      expect(await health.claimRegistration(channelId, noon + 8 * hour)).toBe(noon + 72 * hour);
      expect((await health.of(channelId))?.registrations).toHaveLength(8);
      expect(await health.claimRegistration(channelId, noon + 72 * hour)).toBe(null);
    });

    test('a channel of which only the last probe is known', async () => {
      const { health } = store.current.stores;
      const [seen, known] = [newId(), newId()];
      await health.noteActivity([{ channelId: seen }, { channelId: known, statusAt: noon }]);
      expect(await health.of(seen)).toEqual(unknownHealth(seen));
      expect(await health.of(known)).toEqual({ ...unknownHealth(known), statusAt: noon });
    });

    test('a channel fails from the first failure after its last success until its next success', async () => {
      const { health } = store.current.stores;
      const channelId = newId();
      const failingSince = async () => (await health.of(channelId))?.failingSince;
      const note = (seen: Omit<Activity, 'channelId'>) => health.noteActivity([{ channelId, ...seen }]);
      await note({ failingSince: noon + 1, deliveryFailedAt: noon + 2, lastFailure: '500' });
      await note({
        failingSince: noon + 3,
        deliveryFailedAt: noon + 4,
        lastFailure: 'timeout',
        warnedAt: noon + 4,
      });
      expect(await health.of(channelId)).toEqual({
        ...unknownHealth(channelId),
        failingSince: noon + 1,
        deliveryFailedAt: noon + 4,
        warnedAt: noon + 4,
        lastFailure: 'timeout',
      });
      await note({ deliveredAt: noon });
      expect(await failingSince()).toBe(noon + 1);
      await note({ deliveredAt: noon + 6, failingSince: noon + 7, deliveryFailedAt: noon + 8 });
      expect(await failingSince()).toBe(noon + 7);
      await note({ deliveredAt: noon + 9 });
      expect(await failingSince()).toBeNull();
    });

    test('failing channels are found, the longest failing first, also among given ones', async () => {
      const { health } = store.current.stores;
      const [second, first, well] = [newId(), newId(), newId()];
      await health.noteActivity([
        { channelId: second, failingSince: 2, deliveryFailedAt: 2 },
        { channelId: first, failingSince: 1, deliveryFailedAt: 1 },
        { channelId: well, deliveredAt: 1 },
      ]);
      const ids = (found: readonly { channelId: string }[]) => found.map((each) => each.channelId);
      expect(ids(await health.failing(2))).toEqual([first, second]);
      const one = await health.failing(1);
      expect(ids(one)).toEqual([first]);
      expect(ids(await health.failing(1, one.at(-1)))).toEqual([second]);
      expect(ids(await health.failingAmong([well, second, newId()]))).toEqual([second]);
      expect(await health.failingAmong([])).toEqual([]);
    });

    test('those failing since a time are read a page at a time; what failed before may be forgotten', async () => {
      const { health } = store.current.stores;
      const [one = '', two = '', later = ''] = [newId(), newId(), newId()].toSorted();
      const since = noon + 5;
      for (const channelId of [one, two, later]) {
        const failingSince = channelId === later ? since + 1 : since;
        await health.noteActivity([{ channelId, failingSince, deliveryFailedAt: since }]);
      }
      const until = async (limit: number, last?: Parameters<typeof health.failingUntil>[2]) =>
        (await health.failingUntil(since, limit, last)).map(({ channelId }) => channelId);
      const before = { failingSince: since - 1, channelId: '' };
      expect(await until(9, before)).toEqual([one, two]);
      expect(await until(1, before)).toEqual([one]);
      expect(await until(9, { failingSince: since, channelId: one })).toEqual([two]);
      await health.forgetFailing(one);
      expect(await until(9, before)).toEqual([two]);
      await health.forget(two);
      expect(await health.of(two)).toBeNull();
    });
  });
}
