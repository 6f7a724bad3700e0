/**
 * chatwoot/chatwoot: after the embedded sign-up, upstream refused the webhook subscription; the inbox stayed, without ever receiving
 * anything, and its number could not be connected anew. Here: an exchange that fails holds nothing once its code can't be used any
 * more. [operator-interface §4: an exchange that fails; faults: 78, 230]
 */
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { KillableService } from '../support/crash.ts';
import { editingReplies, sayTime } from '../support/edited-replies.ts';
import type { EditedReplies } from '../support/edited-replies.ts';
import { describeWithMongo, MongoServer } from '../support/mongo-server.ts';
import { ServiceClock } from '../support/service-clock.ts';
import { spawnHookMs } from '../support/service.ts';
import { allowRedirect, codeIn, exchange, home, newBusiness, setupUrl, walkSetup } from '../support/setup.ts';
import type { Business } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { follow, newAccount } from '../support/world.ts';
import type { ChannelType } from '../support/world.ts';

jest.setTimeout(120_000);

/** A code lives as long as a busy machine may need for what a test does with it; then the test lets this time pass. */
const codeTtlMs = 60_000;
const types = ['chatapp', 'photoapp', 'pagechat'] as const;
/** Every call upstream that an exchange needs to succeed, by the end of its path: a registration may follow later. */
const steps = [
  ['chatapp', 'subscribed_apps'],
  ['photoapp', 'subscribed_apps'],
  ['pagechat', 'subscribed_apps'],
] as const;

function describeFailures(name: string, openMongo: (() => Promise<MongoServer>) | null): void {
  describe(name, () => {
    let mongo: MongoServer | null = null;
    let replies: EditedReplies | null = null;
    let service: KillableService;
    const clock = new ServiceClock('passes');
    let aheadMs = 0;
    beforeAll(async () => {
      mongo = (await openMongo?.()) ?? null;
      // What has expired is given to others only when it has by MongoDB's clock too.
      if (mongo !== null)
        replies = await editingReplies(
          mongo.port,
          sayTime(() => aheadMs),
        );
      service = await KillableService.open({
        ...clock.env,
        EXCHANGE_CODE_TTL_MS: String(codeTtlMs),
        ...(replies === null
          ? {}
          : { MONGODB_URI: `mongodb://127.0.0.1:${replies.port}/test?directConnection=true` }),
      });
    }, spawnHookMs);
    afterEach(() => call('DELETE', `${service.simulator.url}/control/faults`));
    afterAll(async () => {
      await service.close();
      replies?.close();
      await mongo?.kill9();
      clock.close();
    });

    const fail = (path: string, act: Record<string, unknown>): Promise<unknown> =>
      service.simulator.control('faults', { match: { path, method: 'POST' }, times: 0, ...act });
    const refusal = { act: 'refuse', code: 200, status: 403, message: 'Permissions error' };

    const codeOn = async (key: string, type: ChannelType, assets: string[]): Promise<string> =>
      codeIn(await walkSetup(service.world, key, type, { assets }));
    const channelsOf = async (key: string): Promise<{ id: string; is_active: boolean }[]> =>
      (await service.process.call('GET', '/api/v1/channels', { key })).body.channels;
    const slotsOf = async (key: string, type: ChannelType): Promise<number> =>
      (await service.process.call('GET', '/api/v1/subscriptions', { key })).body.available_slots[type].total;
    const letCodesExpire = (): void => {
      aheadMs += codeTtlMs;
      clock.move(service.process, codeTtlMs);
    };
    const slotIsBack = (key: string, type: ChannelType): Promise<true> =>
      until('the slot to be free', async () => (await slotsOf(key, type)) === 1);

    test.each(steps)(
      '%s: refused at %s, it holds slot and identity until the code expires',
      async (type, path) => {
        const { key } = await newAccount(service.process);
        const [picked, other] = await twoAssets(type, service.simulator);
        const code = await codeOn(key, type, picked);
        await fail(path, refusal);
        const failed = await exchange(service.process, key, code);
        expectRefused(failed);
        expect(await channelsOf(key)).toEqual([]);
        letCodesExpire();
        await slotIsBack(key, type);
        await call('DELETE', `${service.simulator.url}/control/faults`);
        expect((await exchange(service.process, key, code)).body.detail).toBe(notValid);
        expect(await channelsOf(key)).toEqual([]);
        // The slot takes another asset, and another account connects the first.
        const second = await exchange(service.process, key, await codeOn(key, type, other));
        expect(second.status).toBe(200);
        const { key: rival } = await newAccount(service.process);
        expect((await exchange(service.process, rival, await codeOn(rival, type, picked))).status).toBe(200);
        expect((await channelsOf(key)).map(({ id }) => id)).toEqual([second.body.channel_id]);
        expect(await slotsOf(key, type)).toBe(0);
      },
    );

    test.each(steps)(
      '%s: a node killed at %s leaves nothing either; until then the code works',
      async (type, path) => {
        const lost = await newAccount(service.process);
        const again = await newAccount(service.process);
        const [picked, other] = await twoAssets(type, service.simulator);
        const [lostCode, code] = [await codeOn(lost.key, type, picked), await codeOn(again.key, type, other)];
        await fail(path, { act: 'ok', delay_ms: 60_000 });
        const cut = [
          exchange(service.process, lost.key, lostCode),
          exchange(service.process, again.key, code),
        ];
        const ends = Promise.allSettled(cut);
        await until('both to call upstream', async () => (await fired(service)) === 2);
        await service.kill();
        await ends;
        await call('DELETE', `${service.simulator.url}/control/faults`);
        await service.restart();
        expect(await channelsOf(lost.key)).toEqual([]);
        const retried = await exchange(service.process, again.key, code);
        expect(retried.status).toBe(200);
        expect(await channelsOf(again.key)).toMatchObject([{ id: retried.body.channel_id, is_active: true }]);
        letCodesExpire();
        await slotIsBack(lost.key, type);
        expect(await channelsOf(lost.key)).toEqual([]);
        const { key: rival } = await newAccount(service.process);
        expect((await exchange(service.process, rival, await codeOn(rival, type, picked))).status).toBe(200);
      },
    );

    test.each(types)(
      '%s: an inactive channel that fails to come back keeps id, slot and claim',
      async (type) => {
        const { key } = await newAccount(service.process);
        const [picked, other] = await twoAssets(type, service.simulator);
        const first = await exchange(service.process, key, await codeOn(key, type, picked));
        const path = `/api/v1/channels/${first.body.channel_id}`;
        const before = (await service.process.call('GET', path, { key })).body;
        await service.process.call('DELETE', path, { key });
        const code = await codeOn(key, type, picked);
        await fail('subscribed_apps', refusal);
        expectRefused(await exchange(service.process, key, code));
        letCodesExpire();
        await until(
          'the code to expire',
          async () => (await exchange(service.process, key, code)).body.detail === notValid,
        );
        await call('DELETE', `${service.simulator.url}/control/faults`);
        expect((await service.process.call('GET', path, { key })).body).toEqual({
          ...before,
          is_active: false,
        });
        expect(await slotsOf(key, type)).toBe(0);
        const end = await walkSetup(service.world, key, type, { assets: other });
        expect(end.searchParams.get('error')).toBe('no_free_slot');
        const revived = await exchange(service.process, key, await codeOn(key, type, picked));
        expect(revived.body.channel_id).toBe(first.body.channel_id);
      },
    );

    test('an active channel that fails to reconnect stays as it was', async () => {
      const { key } = await newAccount(service.process);
      const [picked] = await twoAssets('pagechat', service.simulator);
      const first = await exchange(service.process, key, await codeOn(key, 'pagechat', picked));
      const { channel_id: id } = first.body;
      const before = await channelsOf(key);
      await allowRedirect(service.process, key);
      await service.simulator.control('dialog', { auto: 'allow', times: 1, assets: picked });
      const body = { channel_type: 'pagechat', redirect_uri: home, channel_id: id };
      const { setup_url: url } = (
        await service.process.call('POST', '/api/v1/channels/setup-url', { key, body })
      ).body;
      const code = codeIn(await follow(url, home));
      await fail('subscribed_apps', refusal);
      const settings = { webhook_url: 'https://other.example.com/' };
      expectRefused(await exchange(service.process, key, code, settings));
      expect(await channelsOf(key)).toEqual(before);
    });

    test('while the code holds the slot, every list says so, and what a client then does agrees', async () => {
      const { key } = await newAccount(service.process);
      const [picked, other] = await twoAssets('pagechat', service.simulator);
      const code = await codeOn(key, 'pagechat', picked);
      await fail('subscribed_apps', refusal);
      expectRefused(await exchange(service.process, key, code));
      await call('DELETE', `${service.simulator.url}/control/faults`);
      expect(await slotsOf(key, 'pagechat')).toBe(0);
      const end = await walkSetup(service.world, key, 'pagechat', { assets: other });
      expect(end.searchParams.get('error')).toBe('no_free_slot');
      letCodesExpire();
      await slotIsBack(key, 'pagechat');
      expect((await setupUrl(service.process, key, 'pagechat')).status).toBe(200);
      expect((await exchange(service.process, key, await codeOn(key, 'pagechat', other))).status).toBe(200);
    });
  });
}

describeFailures('an exchange that fails, in the embedded store', null);
describeWithMongo('in MongoDB', 'own', (source) => {
  describeFailures('an exchange that fails, in MongoDB', () => MongoServer.start(source));
});

const notValid = 'code is unknown, expired or already used';

/** Refused for good, with what a person can do. */
function expectRefused({ status, body }: Answer): void {
  expect([status, body.detail]).toEqual([
    400,
    expect.stringMatching(
      /^Upstream refused the request: a permission for its events is missing; connect the channel again/,
    ),
  ]);
}

/** Two assets of this type that no other test uses, as the dialog names them. */
async function twoAssets(
  type: ChannelType,
  simulator: KillableService['simulator'],
): Promise<[string[], string[]]> {
  const nameOf = ({ wabaId, pages }: Business): string[] => [
    type === 'chatapp' ? wabaId : (pages[0]?.id ?? ''),
  ];
  return [nameOf(await newBusiness(simulator)), nameOf(await newBusiness(simulator))];
}

async function fired({ simulator }: KillableService): Promise<number> {
  const { faults } = await simulator.control('faults');
  return faults.reduce((sum: number, one: { fired: number }) => sum + one.fired, 0);
}
