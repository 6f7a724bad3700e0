/** [upstream §1.2; faults: 243] Tokens that end: renewed in time, once, or mailed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { assetOf } from '../support/outside.ts';
import { connected, connectedChannel, mailsTo, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
let end: number;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  end = service.clock.now() + 60 * dayMs;
  await setEnd(end);
});

const stored = async (): Promise<Channel> => {
  const found = await service.stores.channels.byId(channel.id);
  if (found === null) throw new Error('the channel is gone');
  return found;
};
async function setEnd(tokenExpiresAt: number | null): Promise<void> {
  const { token } = await stored();
  await service.stores.channels.replaceToken(await stored(), { token, tokenExpiresAt });
}
const look = () => service.features.checkChannels();
const passTo = (daysBefore: number) => service.clock.pass(end - service.clock.now() - daysBefore * dayMs);
const ending = async () =>
  (await service.stores.health.of(channel.id))?.problems?.find(({ code }) => code === 'token_ending');
const mails = async () =>
  (await mailsTo(service, tenant)).filter(({ subject }) => subject.includes('before'));

test('the end of a token is learned when a channel is connected, and of one that is connected already', async () => {
  expect((await service.features.readChannel(tenant, channel.id)).channel.tokenExpiresAt).toBe(end);
  await setEnd(null);
  service.upstream.tokenEnds.set(channel.id, end + 1);
  await look();
  expect((await stored()).tokenExpiresAt).toBe(end + 1);
  service.upstream.tokenEnds.set(channel.id, end + 2);
  await service.features.deactivateChannel(tenant, channel.id);
  await connected(service, tenant, assetOf('chatapp', channel.identity ?? ''));
  expect((await stored()).tokenExpiresAt).toBe(end + 2);
});

describe('a token', () => {
  test('without an end is left alone', async () => {
    await setEnd(0);
    await look();
    expect([service.upstream.renewed, (await stored()).tokenExpiresAt]).toEqual([[], 0]);
  });

  test('is renewed with twenty days left, once, and the owner of the channel reloads it', async () => {
    service.upstream.renewals.set(channel.id, { token: 'renewed-token', expiresAt: end + 40 * dayMs });
    passTo(20.001);
    await look();
    expect(service.upstream.renewed).toEqual([]);
    passTo(20);
    const before = service.router.reloadsOf(channel.id);
    await look();
    await look();
    const { token, tokenExpiresAt } = await stored();
    expect(token === null ? null : service.sealer.openText(token, sealContext.token(channel.id))).toBe(
      'renewed-token',
    );
    expect([tokenExpiresAt, service.upstream.renewed]).toEqual([end + 40 * dayMs, [channel.id]]);
    expect(service.router.reloadsOf(channel.id) - before).toBe(1);
    expect(await mails()).toEqual([]);
  });

  test('that was replaced by a connection meanwhile stays', async () => {
    service.upstream.renewals.set(channel.id, { token: 'renewed-token', expiresAt: end + 40 * dayMs });
    passTo(20);
    const other = service.sealer.sealText('of the new connection', sealContext.token(channel.id));
    const renew = service.upstream.renewToken.bind(service.upstream);
    service.upstream.renewToken = async (of) => {
      await service.stores.channels.replaceToken(await stored(), { token: other, tokenExpiresAt: 0 });
      return renew(of);
    };
    await look();
    expect(await stored()).toMatchObject({ token: other, tokenExpiresAt: 0 });
  });

  test('that upstream does not renew is tried again each day, and mailed 14, 7 and 1 day before', async () => {
    passTo(20);
    const since = service.clock.now();
    await look();
    await look();
    expect(service.upstream.renewed).toHaveLength(1);
    expect(await ending()).toMatchObject({ since, nextTryAt: since + dayMs });
    const { problems } = await service.features.channelHealth(tenant, channel.id);
    expect(problems.find(({ code }) => code === 'token_ending')?.affects).toEqual([]);
    const count: [daysBefore: number, mails: number][] = [];
    for (let left = 19; left > 0; left -= 1) {
      passTo(left);
      await look();
      await look();
      count.push([left, (await mails()).length]);
    }
    expect(service.upstream.renewed).toHaveLength(20);
    const firstWith = (mailed: number) => count.find(([, sent]) => sent === mailed)?.[0];
    expect([firstWith(1), firstWith(2), firstWith(3), count.at(-1)]).toEqual([14, 7, 1, [1, 3]]);
    expect((await mails())[0]?.subject).toMatch(/ has to be connected again before 2026-/);
  });

  test('that upstream renews after all is no problem any more', async () => {
    passTo(20);
    await look();
    service.upstream.renewals.set(channel.id, { token: 'renewed-token', expiresAt: end + 40 * dayMs });
    passTo(19);
    await look();
    expect([await ending(), (await stored()).tokenExpiresAt]).toEqual([undefined, end + 40 * dayMs]);
  });

  test('is asked for again at the next look if upstream does not answer', async () => {
    service.upstream.renewals.set(channel.id, fault('upstream_failed'));
    passTo(20);
    await look();
    await look();
    expect([service.upstream.renewed.length, await ending()]).toEqual([2, undefined]);
  });

  test('that has ended is not renewed', async () => {
    passTo(0);
    await look();
    expect(service.upstream.renewed).toEqual([]);
  });
});
