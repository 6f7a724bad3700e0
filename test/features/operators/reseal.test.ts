/** [operator-interface §2 ENCRYPTION_KEYS] Values that live as long as their channel are re-encrypted with the newest key. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeSealer } from '../../../src/kernel/sealing.ts';
import { newSealingKey } from '../../support/sealing.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { missingKeys, resealSecrets } from '../../../src/features/operators/reseal.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const [older, newer] = [newSealingKey(), newSealingKey()];
const counted: unknown[] = [];
const told: [string, object][] = [];
const deps = (keys: readonly string[]) => ({
  stores: service.stores,
  sealer: makeSealer(keys),
  counters: { increment: (...of: unknown[]) => void counted.push(of) },
  log: Object.assign(Object.create(null), {
    info: (what: object, msg: string) => told.push([msg, what]),
    error: (what: object, msg: string) => told.push([msg, what]),
  }),
});

const service = serviceForEach();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
  [counted.length, told.length] = [0, 0];
});

describe('after a new key is first in the ring', () => {
  async function sealedUnder(key: string) {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const [before] = (await service.stores.channels.secretsAfter('', 10)).filter((each) => each.id === id);
    if (before === undefined) throw new Error('the channel has no secrets');
    const sealer = makeSealer([key]);
    const after = {
      id,
      token: sealer.sealText('token', sealContext.token(id)),
      webhookSecret: sealer.sealText('secret', sealContext.webhookSecret(id)),
      previousSecret: null,
    };
    expect(await service.stores.channels.replaceSecrets(before, after)).toBe(true);
    return after;
  }

  test('tokens and secrets are re-encrypted with it, once', async () => {
    const { id } = await sealedUnder(older);
    for (const keys of [[newer, older], [newer]]) await resealSecrets(deps(keys));
    const [secrets] = await service.stores.channels.secretsAfter('', 10);
    const sealer = makeSealer([newer]);
    expect([
      sealer.openText(secrets!.token!, sealContext.token(id)),
      sealer.openText(secrets!.webhookSecret!, sealContext.webhookSecret(id)),
      secrets?.previousSecret,
    ]).toEqual(['token', 'secret', null]);
    expect(counted).toEqual([['channels_resealed_total', {}, 1], ['channels_resealed_total', {}, 0]]); // oxfmt-ignore
    expect(told).toEqual([['keys.resealed', { channels: 1 }]]);
  });

  test('the previous secret, which is valid for a day, is re-encrypted too', async () => {
    const { id } = await sealedUnder(older);
    const [before] = await service.stores.channels.secretsAfter('', 10);
    const previousSecret = makeSealer([older]).sealText('before', sealContext.webhookSecret(id));
    await service.stores.channels.replaceSecrets(before!, { ...before!, previousSecret });
    await resealSecrets(deps([newer, older]));
    const [after] = await service.stores.channels.secretsAfter('', 10);
    expect(makeSealer([newer]).openText(after!.previousSecret!, sealContext.webhookSecret(id))).toBe(
      'before',
    );
  });

  test('the values of a channel under the old key are re-encrypted, although the others need not be', async () => {
    const { id } = await sealedUnder(older);
    const [before] = await service.stores.channels.secretsAfter('', 10);
    const token = makeSealer([newer]).sealText('token', sealContext.token(id));
    await service.stores.channels.replaceSecrets(before!, { ...before!, token });
    await resealSecrets(deps([newer, older]));
    const [after] = await service.stores.channels.secretsAfter('', 10);
    expect(makeSealer([newer]).openText(after!.webhookSecret!, sealContext.webhookSecret(id))).toBe('secret');
  });

  /** A store with this many channels whose tokens are encrypted with the old key. */
  function manyChannels(count: number) {
    const sealer = makeSealer([older]);
    const all = Array.from({ length: count }, (_, n) => {
      const id = `channel-${String(n).padStart(4, '0')}`;
      const token = sealer.sealText('token', sealContext.token(id));
      return {
        id,
        token,
        webhookSecret: sealer.sealText('secret', sealContext.webhookSecret(id)),
        previousSecret: null,
      };
    });
    const replaced: string[] = [];
    const channels = {
      ...service.stores.channels,
      secretsAfter: async (after: string, limit: number) =>
        all.filter(({ id }) => id > after).slice(0, limit),
      replaceSecrets: async ({ id }: { id: string }) => {
        replaced.push(id);
        return id !== 'channel-0001';
      },
    };
    const on = (keys: readonly string[]) => ({ ...deps(keys), stores: { ...service.stores, channels } });
    return { all, replaced, on };
  }

  test('all channels are re-encrypted, each once; only those with unchanged secrets are counted', async () => {
    const { all, replaced, on } = manyChannels(501);
    await resealSecrets(on([newer, older]));
    expect(replaced).toEqual(all.map(({ id }) => id));
    expect(told).toEqual([['keys.resealed', { channels: 500 }]]);
  });

  test('for a thousand channels a missing key is reported, counting each channel once', async () => {
    const missing = await missingKeys(manyChannels(1_001).on([newer]));
    expect([...missing.values()]).toEqual([1_000]);
  });

  test('a value that cannot be decrypted stays unchanged, and is logged', async () => {
    const before = await sealedUnder(older);
    await resealSecrets(deps([newer]));
    expect(await service.stores.channels.secretsAfter('', 10)).toEqual([before]);
    expect(told).toEqual([['keys.missing', { channels: 1 }]]);
  });

  test('a key that is no longer configured is named, with the number of channels that need it', async () => {
    await sealedUnder(older);
    expect(await missingKeys(deps([newer, older]))).toEqual(new Map());
    const missing = await missingKeys(deps([newer]));
    expect([[...missing.values()], [...missing.keys()].join().length]).toEqual([[1], 8]);
  });
});
