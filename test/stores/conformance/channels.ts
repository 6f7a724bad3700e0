import { describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { channelTypes } from '../../../src/rules/vocabulary.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { chatappProfile, profiles } from '../../support/profiles.ts';
import { aGrant, aReservation, aSubscription, noon, sealedText, cursorAt } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenStore } from './store.ts';
import type { Reservation } from '../../../src/rules/channels/reservation.ts';
import type { WebhookSettings } from '../../../src/storage/channel-holdings.ts';

export function codeOf(reservation: Reservation) {
  const { codeHash, accountId, apiKeyId } = reservation;
  return { hash: codeHash, accountId, apiKeyId };
}

/** Makes a channel in the normal way: a reservation, then the exchange. */
export async function connect(
  store: OpenStore,
  over: Partial<Reservation> = {},
  settings: WebhookSettings = {},
): Promise<Channel> {
  const reservation = aReservation(over);
  const { channels } = store.stores;
  const reserved = await channels.reserve(reservation, noon);
  if (reserved !== 'reserved') throw new Error(`the test could not connect a channel: ${reserved}`);
  const channel = await channels.exchange(codeOf(reservation), noon, () => settings);
  if (channel === null) throw new Error('the test could not exchange the code');
  return channel;
}

export function describeChannelStore(name: string, open: Open): void {
  describe(`${name}: channels`, () => {
    const store = withStore(open);

    test('secrets are replaced by the same ones under another key, unless they have changed meanwhile [faults: 100]', async () => {
      const sealedOldToken = sealedText('old token');
      const sealedOldSecret = sealedText('old secret');
      const sealedNewToken = sealedText('new token');
      const sealedNewSecret = sealedText('new secret');
      const sealedPrevious = sealedText('previous');
      const sealedPreviousAnew = sealedText('previous anew');
      const sealedAnother = sealedText('another');
      const sealedBare = sealedText('bare');
      const sealedBareAnew = sealedText('bare anew');
      const { channels } = store.current.stores;
      const grant = aGrant({ token: sealedOldToken });
      const connected = await connect(
        store.current,
        { grant },
        { webhookSecret: sealedOldSecret, previousSecret: sealedPrevious },
      );
      const bare = await connect(store.current, { grant: aGrant({ token: sealedBare }) });
      const { id } = connected;
      const secretsOf = async (channelId: string) =>
        (await channels.secretsAfter(channelId.slice(0, -1), 1_000)).find((each) => each.id === channelId);
      const before = await secretsOf(id);
      expect(before).toEqual({
        id,
        token: sealedOldToken,
        webhookSecret: sealedOldSecret,
        previousSecret: sealedPrevious,
      });
      expect(await secretsOf(bare.id)).toEqual({
        id: bare.id,
        token: sealedBare,
        webhookSecret: null,
        previousSecret: null,
      });
      if (before === undefined) throw new Error('it is gone');
      const after = {
        id,
        token: sealedNewToken,
        webhookSecret: sealedNewSecret,
        previousSecret: sealedPreviousAnew,
      };
      expect(await channels.replaceSecrets({ ...before, token: sealedAnother }, after)).toBe(false);
      expect(await channels.replaceSecrets({ ...before, webhookSecret: null }, after)).toBe(false);
      expect(await channels.replaceSecrets({ ...before, previousSecret: null }, after)).toBe(false);
      expect(await secretsOf(id)).toEqual(before);
      expect(await channels.replaceSecrets(before, after)).toBe(true);
      expect(await channels.replaceSecrets(before, after)).toBe(false);
      expect(await secretsOf(id)).toEqual(after);
      const bareAfter = { id: bare.id, token: sealedBareAnew, webhookSecret: null, previousSecret: null };
      expect(await channels.replaceSecrets({ ...bareAfter, token: sealedBare }, bareAfter)).toBe(true);
      expect(await secretsOf(bare.id)).toEqual(bareAfter);
    });

    test('a channel is found in its account only', async () => {
      const { channels } = store.current.stores;
      const channel = await connect(store.current);
      expect(await channels.inAccount(channel.id, channel.accountId)).toEqual(channel);
      expect(await channels.byId(channel.id)).toEqual(channel);
      expect(await channels.inAccount(channel.id, newId())).toBeNull();
      expect(
        await channels.updateWebhook(
          { id: channel.id, accountId: newId() },
          { webhookUrl: 'https://evil.example' },
        ),
      ).toBeNull();
      expect(await channels.deactivate(channel.id, newId())).toBeNull();
      expect(await channels.byId(channel.id)).toEqual(channel);
    });

    test('a few channels of an account are found by their ids, and its names are read page by page', async () => {
      const { channels } = store.current.stores;
      const accountId = newId();
      const [one, two] = [
        await connect(store.current, { accountId }),
        await connect(store.current, { accountId }),
      ];
      const other = await connect(store.current);
      const found = await channels.among(accountId, [two.id, one.id, two.id, other.id, newId()]);
      expect(found).toEqual(new Map([one, two].map((each) => [each.id, each])));
      expect(await channels.among(accountId, [])).toEqual(new Map());
      const { items, nextCursor } = await channels.names(accountId, { limit: 1, cursor: null });
      const [first] = items;
      const { id, channelType, profile, isActive, createdAt } = first!;
      expect(items).toEqual([{ id, channelType, name: first!.name, profile, isActive, createdAt }]);
      const rest = await channels.names(accountId, { limit: 9, cursor: nextCursor });
      expect([id, ...rest.items.map((each) => each.id)].toSorted()).toEqual([one.id, two.id].toSorted());
    });

    test('channels are listed per account in order of creation, active and inactive, page by page', async () => {
      const { channels } = store.current.stores;
      const accountId = newId();
      const connected: Channel[] = [];
      for (const i of [1, 0, 2]) {
        connected.push(await connect(store.current, { accountId, createdAt: noon + i }));
      }
      await connect(store.current);
      await channels.reserve(aReservation({ accountId }), noon);
      const inOrder = connected.toSorted((a, b) => a.createdAt - b.createdAt);
      const inactive = (await channels.deactivate(inOrder[1]?.id ?? '', accountId))?.after;
      const expected = [inOrder[0], inactive, inOrder[2]];
      expect(await channels.list(accountId, everything)).toEqual({ items: expected, nextCursor: null });
      const first = await channels.list(accountId, { limit: 2, cursor: null });
      expect(first).toEqual({ items: expected.slice(0, 2), nextCursor: cursorAt(inactive) });
      const second = await channels.list(accountId, { limit: 2, cursor: first.nextCursor });
      expect(second).toEqual({ items: expected.slice(2), nextCursor: null });
    });

    test('upstream identities find the connected channels that hold them, of their type only', async () => {
      const { channels } = store.current.stores;
      const identity = newId();
      const photo = await connect(store.current, { identity, channelType: 'photoapp' });
      const chat = await connect(store.current, { identity, channelType: 'chatapp' });
      const other = await connect(store.current, { channelType: 'chatapp' });
      const reserved = aReservation();
      await channels.reserve(reserved, noon);
      const asked = [identity, other.identity ?? '', reserved.identity, newId(), identity];
      const found = await channels.byIdentity('chatapp', asked);
      expect(found.toSorted(byId)).toEqual([chat, other].toSorted(byId));
      expect(await channels.byIdentity('photoapp', [identity])).toEqual([photo]);
      expect(await channels.byIdentity('pagechat', asked)).toEqual([]);
    });

    test('webhook settings: undefined leaves a field unchanged, null clears it', async () => {
      const { channels } = store.current.stores;
      const settings = {
        webhookUrl: 'https://hooks.example.com/a',
        webhookSecret: sealedText('whsec'),
        previousSecret: sealedText('whsec before'),
        previousSecretUntil: noon,
        webhookEvents: ['message.received', 'message.read'],
        echoStatuses: true,
        failedRetentionDays: 7,
      };
      const before = await connect(store.current, {}, settings);
      expect(before).toMatchObject(settings);
      const { id, accountId } = before;
      const events = { ...before, webhookEvents: [] };
      expect((await channels.updateWebhook({ id, accountId }, { webhookEvents: [] }))?.after).toEqual(events);
      const patch = {
        webhookUrl: null,
        previousSecret: null,
        previousSecretUntil: null,
        webhookEvents: null,
        echoStatuses: false,
        failedRetentionDays: 0,
      };
      const cleared = { ...events, ...patch };
      expect((await channels.updateWebhook({ id, accountId }, patch))?.after).toEqual(cleared);
      expect(await channels.byId(id)).toEqual(cleared);
    });

    test('a first secret is written only if there is none: of 20 at once one is kept', async () => {
      const { channels } = store.current.stores;
      const { id, accountId } = await connect(store.current);
      const settings = { webhookUrl: 'https://hooks.example.com/a' };
      const firsts = Array.from({ length: 20 }, (_, nth) => sealedText(`first ${nth}`));
      const results = await Promise.all(
        firsts.map((first) => channels.updateWebhook({ id, accountId }, settings, first)),
      );
      const standing = (await channels.byId(id))?.webhookSecret;
      expect(firsts).toContain(standing);
      expect(new Set(results.map((changed) => changed?.after.webhookSecret))).toEqual(new Set([standing]));
      const given = sealedText('given');
      const second = await channels.updateWebhook({ id, accountId }, { webhookSecret: given }, firsts[0]);
      expect(second?.after.webhookSecret).toBe(given);
    });

    test('a change that names the secret which it saw is not made over another one', async () => {
      const { channels } = store.current.stores;
      const { id, accountId } = await connect(store.current);
      const secrets = Array.from({ length: 5 }, (_, nth) => sealedText(`given ${nth}`));
      const changes = await Promise.all(
        secrets.map((webhookSecret) =>
          channels.updateWebhook({ id, accountId, webhookSecret: null }, { webhookSecret }),
        ),
      );
      expect(changes.filter((changed) => changed !== null)).toHaveLength(1);
      const standing = secrets[changes.findIndex((changed) => changed !== null)] ?? null;
      expect((await channels.byId(id))?.webhookSecret).toBe(standing);
      const cleared = { webhookSecret: null };
      expect(
        await channels.updateWebhook({ id, accountId, webhookSecret: standing }, cleared),
      ).not.toBeNull();
    });

    test('each change answers what it found and left itself, however many change the channel at once [faults: 234]', async () => {
      const { channels } = store.current.stores;
      const { id, accountId } = await connect(store.current);
      const urls = Array.from({ length: 20 }, (_, nth) => `https://hooks.example.com/${nth}`);
      const results = await Promise.all(
        urls.map((webhookUrl) => channels.updateWebhook({ id, accountId }, { webhookUrl })),
      );
      expect(results.map((changed) => changed?.after.webhookUrl)).toEqual(urls);
      // The changes make one chain, from the start to the present.
      const found = results.map((changed) => changed?.before.webhookUrl);
      const last = (await channels.byId(id))?.webhookUrl;
      expect(new Set(found)).toEqual(new Set([null, ...urls.filter((url) => url !== last)]));
    });

    test('deactivation keeps id, claim, slot and settings, and may be repeated', async () => {
      const { channels } = store.current.stores;
      const channel = await connect(store.current, {}, { webhookUrl: 'https://hooks.example.com/a' });
      const inactive = { ...channel, isActive: false };
      const first = await channels.deactivate(channel.id, channel.accountId);
      expect(first).toEqual({ before: channel, after: inactive });
      const again = await channels.deactivate(channel.id, channel.accountId);
      expect(again).toEqual({ before: inactive, after: inactive });
      expect(await channels.findClaimant('chatapp', channel.identity ?? '')).toEqual(inactive);
      expect(await channels.reserve(aReservation({ identity: channel.identity ?? '' }), noon)).toBe(
        'identity_taken',
      );
      expect(
        await channels.reserve(aReservation({ subscriptionId: channel.subscriptionId ?? '' }), noon),
      ).toBe('slot_taken');
    });

    test('of calls that deactivate, release or bind one channel at once, each has what its own write did', async () => {
      const { channels, subscriptions } = store.current.stores;
      const { id, accountId } = await connect(store.current);
      const licences = Array.from({ length: 6 }, () => aSubscription(accountId));
      for (const licence of licences) await subscriptions.insert(licence);
      const bound = await Promise.all(licences.map((licence) => channels.bind(id, licence.id)));
      const slots = bound.map((each) => (typeof each === 'string' ? each : each.after.subscriptionId));
      expect(slots).toEqual(licences.map((licence) => licence.id));
      // The changes make one chain: no licence was found by two of them.
      const found = bound.map((each) => (typeof each === 'string' ? each : each.before.subscriptionId));
      expect(new Set(found).size).toBe(licences.length);
      const ended = await Promise.all([1, 2, 3].map(() => channels.deactivate(id, accountId)));
      expect(ended.filter((each) => each?.before.isActive === true)).toHaveLength(1);
      const freed = await Promise.all([1, 2, 3].map(() => channels.releaseClaim(id)));
      expect(freed.filter((each) => each?.before.identity !== null)).toHaveLength(1);
    });

    test('active channels on an asset are counted over all accounts and types', async () => {
      const { channels } = store.current.stores;
      const asset = newId();
      const on = { grant: aGrant({ subscribedAsset: asset, profile: profiles.pagechat }) };
      await connect(store.current, { ...on, channelType: 'photoapp' });
      const second = await connect(store.current, { ...on, channelType: 'pagechat' });
      await connect(store.current);
      await channels.reserve(aReservation(on), noon);
      expect(await channels.countActiveOn(asset)).toBe(2);
      expect(await channels.accountsOn(asset)).toContain(second.accountId);
      expect((await channels.activeOn(asset, 10)).map(({ id }) => id)).toContain(second.id);
      expect(await channels.activeOn(asset, 1)).toHaveLength(1);
      expect(
        (await channels.activeOn(asset, 10, second.accountId)).map(({ accountId }) => accountId),
      ).toContain(second.accountId);
      expect(await channels.activeOn(asset, 10, newId())).toEqual([]);
      await channels.deactivate(second.id, second.accountId);
      expect(await channels.countActiveOn(asset)).toBe(1);
      expect(await channels.accountsOn(asset)).not.toContain(second.accountId);
      expect(await channels.activeOn(asset, 10)).toHaveLength(1);
      expect(await channels.activeOn(newId(), 10)).toEqual([]);
      expect(await channels.countActiveOn(newId())).toBe(0);
    });

    test.each(channelTypes)('a profile of %s is read back unchanged', async (channelType) => {
      const profile = profiles[channelType];
      const channel = await connect(store.current, { channelType, grant: aGrant({ profile }) });
      expect((await store.current.stores.channels.byId(channel.id))?.profile).toEqual(profile);
    });

    test('a profile is updated while the channel has the same asset, and nothing else changes', async () => {
      const { channels } = store.current.stores;
      const before = await connect(store.current);
      const profile = chatappProfile({ qualityRating: 'RED', isDualUse: false });
      expect(await channels.renewProfile({ ...before, subscribedAsset: newId() }, profile)).toBe(false);
      expect(await channels.renewProfile({ ...before, subscribedAsset: null }, profile)).toBe(false);
      expect(await channels.renewProfile({ ...before, id: newId() }, profile)).toBe(false);
      expect(await channels.byId(before.id)).toEqual(before);
      expect(await channels.renewProfile(before, profile)).toBe(true);
      expect(await channels.byId(before.id)).toEqual({ ...before, profile });
      const reserved = aReservation();
      await channels.reserve(reserved, noon);
      const unconnected = { id: reserved.channelId, subscribedAsset: reserved.grant.subscribedAsset };
      expect(await channels.renewProfile(unconnected, profile)).toBe(false);
    });

    test('releasing a claim frees the identity of an inactive channel only', async () => {
      const { channels } = store.current.stores;
      const channel = await connect(store.current);
      const identity = channel.identity ?? '';
      expect(await channels.releaseClaim(channel.id)).toBeNull();
      await channels.deactivate(channel.id, channel.accountId);
      const freed = { ...channel, isActive: false, identity: null, subscriptionId: null };
      const inactive = { ...channel, isActive: false };
      expect(await channels.releaseClaim(channel.id)).toEqual({ before: inactive, after: freed });
      expect(await channels.byId(channel.id)).toEqual(freed);
      expect(await channels.findClaimant('chatapp', identity)).toBeNull();
      expect(await channels.releaseClaim(newId())).toBeNull();
      expect((await connect(store.current, { identity })).identity).toBe(identity);
    });

    test('releasing a claim also ends the reservation that would reactivate the channel', async () => {
      const { channels } = store.current.stores;
      const { id, accountId, identity, subscriptionId } = await connect(store.current);
      await channels.deactivate(id, accountId);
      const revival = aReservation({
        channelId: id,
        accountId,
        identity: identity ?? '',
        subscriptionId: subscriptionId ?? '',
      });
      expect(await channels.reserve(revival, noon)).toBe('reserved');
      expect((await channels.releaseClaim(id))?.after.identity).toBeNull();
      expect(await channels.exchange(codeOf(revival), noon, () => ({}))).toBeNull();
      expect(await channels.findClaimant('chatapp', identity ?? '')).toBeNull();
    });

    test('a channel is bound to a free slot of its own account, and unbound by null', async () => {
      const { channels, subscriptions } = store.current.stores;
      const accountId = newId();
      const licence = aSubscription(accountId);
      const foreign = aSubscription(newId());
      for (const each of [licence, foreign]) await subscriptions.insert(each);
      const first = await connect(store.current, { accountId });
      const second = await connect(store.current, { accountId });
      const page = await connect(store.current, { accountId, channelType: 'pagechat' });
      const bound = { ...first, subscriptionId: licence.id };
      expect(await channels.bind(first.id, licence.id)).toEqual({ before: first, after: bound });
      expect(await channels.bind(first.id, licence.id)).toEqual({ before: bound, after: bound });
      expect(await channels.byId(first.id)).toEqual(bound);
      expect(await channels.bind(second.id, licence.id)).toBe('slot_taken');
      expect(await channels.bind(page.id, licence.id)).toMatchObject({
        after: { subscriptionId: licence.id },
      });
      expect(await channels.bind(second.id, foreign.id)).toBe('absent');
      expect(await channels.bind(second.id, newId())).toBe('absent');
      expect(await channels.bind(newId(), licence.id)).toBe('absent');
      expect(await channels.bind(first.id, null)).toMatchObject({
        before: bound,
        after: { subscriptionId: null },
      });
      expect(await channels.bind(second.id, licence.id)).toMatchObject({ after: { id: second.id } });
    });

    test('a channel that is not as it was seen is not bound, nor one whose ownership was released', async () => {
      const { channels, subscriptions } = store.current.stores;
      const accountId = newId();
      const licence = aSubscription(accountId);
      await subscriptions.insert(licence);
      const { id, subscriptionId } = await connect(store.current, { accountId });
      for (const seen of [{ isActive: false }, { subscriptionId: null }, { subscriptionId: licence.id }])
        for (const to of [licence.id, null]) expect(await channels.bind(id, to, seen)).toBe('changed');
      const asSeen = { subscriptionId, isActive: true };
      expect(await channels.bind(id, null, asSeen)).toMatchObject({ before: asSeen });
      expect(await channels.bind(id, licence.id, asSeen)).toBe('changed');
      expect(await channels.bind(id, licence.id, { subscriptionId: null })).toMatchObject({ after: { id } });
      await channels.deactivate(id, accountId);
      await channels.releaseClaim(id);
      expect(await channels.bind(id, licence.id)).toBe('released');
      expect(await channels.bind(id, null)).toMatchObject({ after: { id, subscriptionId: null } });
    });

    test('of calls that move a channel from the licence where they saw it, one succeeds', async () => {
      const { channels, subscriptions } = store.current.stores;
      const { id, accountId, subscriptionId } = await connect(store.current);
      const licences = Array.from({ length: 6 }, () => aSubscription(accountId));
      for (const licence of licences) await subscriptions.insert(licence);
      const moved = await Promise.all(licences.map((each) => channels.bind(id, each.id, { subscriptionId })));
      expect(moved.filter((each) => each === 'changed')).toHaveLength(licences.length - 1);
    });

    test('a slot that a reservation holds cannot be bound', async () => {
      const { channels, subscriptions } = store.current.stores;
      const accountId = newId();
      const licence = aSubscription(accountId);
      await subscriptions.insert(licence);
      const channel = await connect(store.current, { accountId });
      await channels.reserve(aReservation({ accountId, subscriptionId: licence.id }), noon);
      expect(await channels.bind(channel.id, licence.id)).toBe('slot_taken');
    });

    test('of the times of a pause the latest stand, in whatever order they come', async () => {
      const { channels } = store.current.stores;
      const { id } = await connect(store.current);
      await channels.noteSendPause(id, { sendsResumedAt: noon + 5 });
      await channels.noteSendPause(id, { sendsPausedAt: noon + 3 });
      expect(
        await channels.noteSendPause(id, { sendsPausedAt: noon + 2, sendsResumedAt: noon }),
      ).toMatchObject({ sendsPausedAt: noon + 3, sendsResumedAt: noon + 5 });
      expect(await channels.noteSendPause(newId(), { sendsPausedAt: noon })).toBeNull();
    });

    test('a token is replaced only in place of the one that was read', async () => {
      const { channels } = store.current.stores;
      const channel = await connect(store.current);
      const [renewed, late] = [sealedText('renewed'), sealedText('late')];
      expect(await channels.replaceToken(channel, { token: renewed, tokenExpiresAt: noon })).toBe(true);
      expect(await channels.replaceToken(channel, { token: late, tokenExpiresAt: 0 })).toBe(false);
      expect(await channels.byId(channel.id)).toEqual({ ...channel, token: renewed, tokenExpiresAt: noon });
    });
  });
}

function byId(a: Channel, b: Channel): number {
  return a.id < b.id ? -1 : 1;
}
