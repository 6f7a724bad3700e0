/** [spec: Send error codes, 190; operator-interface §4] A token that upstream refuses, whichever call it was. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { hourMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { connectedChannel, mailsTo, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const healthOf = () => service.features.channelHealth(tenant, channel.id);
const codes = async () => (await healthOf()).problems.map(({ code }) => code);
const mails = () => mailsTo(service, tenant);
const asked = { code: 190, isSend: false };

describe('a token that upstream refuses', () => {
  test('is stored without another probe, and mailed once', async () => {
    await healthOf();
    await service.features.noteRefusedToken({ channel, ...asked });
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    expect(service.health.probed).toHaveLength(1);
    service.clock.pass(2 * hourMs);
    await service.features.noteRefusedToken({ channel, ...asked });
    expect((await mails()).map(({ kind, lines }) => [kind, lines.slice(3)])).toEqual([
      [
        'reconnect',
        [
          `Connect it again: https://trunkline.example/portal/channels/${channel.id}`,
          '',
          expect.stringMatching(/^2026-01-01T[0-9:.]+Z channel [^:]+: [^()]+ \(code 190\)$/),
        ],
      ],
    ]);
  });

  test('of a send is mailed by the code that stores the failure', async () => {
    await service.features.noteRefusedToken({ channel, ...asked, isSend: true });
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    expect(await mails()).toEqual([]);
  });

  test('that the channel has replaced says nothing about it', async () => {
    await service.features.noteRefusedToken({ channel: { ...channel, token: null }, ...asked });
    expect(await codes()).toEqual(['webhook_missing']);
    expect(await mails()).toEqual([]);
  });

  test('of a channel that was deactivated meanwhile makes no mail', async () => {
    await service.features.deactivateChannel(tenant, channel.id);
    await service.features.noteRefusedToken({ channel, ...asked });
    expect(await mails()).toEqual([]);
  });

  test('is stored for each channel, and once an hour for each token', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    const { health } = service.stores;
    const noted: string[] = [];
    service.stores.health = {
      ...health,
      async noteUpstream(id, state, at) {
        noted.push(`${id} ${state.token}`);
        return health.noteUpstream(id, state, at);
      },
    };
    const note = (of: Channel, isSend = false) =>
      service.features.noteRefusedToken({ channel: of, code: 190, isSend });
    const all = async () => {
      for (const each of [channel, other, channel]) await note(each);
      await note(channel, true);
    };
    await all();
    const once = [channel, other, channel].map(({ id }) => `${id} refused`);
    expect(noted).toEqual(once);
    service.clock.pass(hourMs - 1);
    await all();
    expect(noted).toEqual(once);
    service.clock.pass(1);
    await all();
    expect(noted).toEqual([...once, ...once]);
  });

  test('is stored the next time if the store is down; the log reports it', async () => {
    const { health } = service.stores;
    const gone = new StoreUnavailable('away');
    service.stores.health = { ...health, noteUpstream: () => Promise.reject(gone) };
    service.told.length = 0;
    await service.features.noteRefusedToken({ channel, ...asked });
    expect(service.told).toEqual([
      expect.objectContaining({
        msg: 'channel.refusal-not-noted',
        level: 'warn',
        channel: channel.id,
        error: expect.objectContaining({ message: 'away' }),
      }),
    ]);
    service.stores.health = health;
    await service.features.noteRefusedToken({ channel, ...asked });
    expect((await codes())[0]).toBe('token_refused');
  });

  test('of a deleted channel has no effect', async () => {
    const { channels } = service.stores;
    service.stores.channels = { ...channels, byId: async () => null };
    service.told.length = 0;
    await service.features.noteRefusedToken({ channel, ...asked });
    expect([service.told, await mails()]).toEqual([[], []]);
  });
});
