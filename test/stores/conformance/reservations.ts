import { describe, expect, test } from '@jest/globals';
import { settingsAtFirst } from '../../../src/rules/channels/settings.ts';
import type { ChangedChannel } from '../../../src/storage/channel-holdings.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { hashSecret, newId, newSecret } from '../../../src/kernel/ids.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { codeOf, connect } from './channels.ts';
import { aGrant, aReservation, aSubscription, noon, sealedText } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenStore } from './store.ts';
import type { Reservation } from '../../../src/rules/channels/reservation.ts';

const noSettings = () => ({});

export function describeReservations(name: string, open: Open): void {
  describe(`${name}: reservations`, () => {
    const store = withStore(open);

    test('a reserved channel holds identity and slot but does not exist for clients', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation();
      expect(await channels.reserve(reservation, noon)).toBe('reserved');
      const { channelId, accountId, identity, subscriptionId } = reservation;
      expect(await channels.findClaimant('chatapp', identity)).toMatchObject({
        id: channelId,
        accountId,
        identity,
        isActive: false,
        connectedAt: null,
        createdAt: noon,
      });
      expect(await channels.inAccount(channelId, accountId)).toBeNull();
      expect(await channels.byId(channelId)).toBeNull();
      expect(await channels.list(accountId, everything)).toEqual({ items: [], nextCursor: null });
      expect(await channels.byIdentity('chatapp', [identity])).toEqual([]);
      expect(await channels.updateWebhook({ id: channelId, accountId }, { echoStatuses: true })).toBeNull();
      expect(await channels.deactivate(channelId, accountId)).toBeNull();
      expect(await channels.releaseClaim(channelId)).toBeNull();
      expect(await channels.bind(channelId, null)).toBe('absent');
      expect(await store.current.channelState.settings(channelId)).toBeNull();
      expect(await channels.reserve(aReservation({ subscriptionId }), noon)).toBe('slot_taken');
    });

    test('a code shows its own account what it reserves until it expires or is used', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation({ codeExpiresAt: noon + 10 });
      await channels.reserve(reservation, noon);
      const { channelId, accountId, identity, subscriptionId, grant } = reservation;
      const code = codeOf(reservation);
      const shown = await channels.reservedBy(code, noon + 9);
      expect(shown).toMatchObject({ id: channelId, accountId, channelType: 'chatapp', ...grant });
      expect(shown).toMatchObject({ identity, subscriptionId, isActive: false, connectedAt: null });
      expect(await channels.reservedBy(code, noon + 10)).toBeNull();
      expect(await channels.reservedBy({ ...code, accountId: newId() }, noon)).toBeNull();
      await channels.exchange(code, noon, noSettings);
      expect(await channels.reservedBy(code, noon)).toBeNull();
    });

    test('a code that would revive a channel shows it with its settings, and with what it will have [faults: 230]', async () => {
      const { channels } = store.current.stores;
      const before = await inactiveChannel(store.current);
      const revival = revivalOf(before, { subscriptionId: newId(), grant: aGrant({ name: 'New name' }) });
      await channels.reserve(revival, noon);
      const { subscriptionId, grant } = revival;
      expect(await channels.reservedBy(codeOf(revival), noon)).toEqual({
        ...before,
        ...grant,
        subscriptionId,
      });
    });

    test('an asset is reserved while a code that would connect it is valid [faults: 230]', async () => {
      const { channels } = store.current.stores;
      const subscribedAsset = newId();
      const grant = aGrant({ subscribedAsset });
      const reservation = aReservation({ codeExpiresAt: noon + 10, grant });
      await channels.reserve(aReservation(), noon);
      expect(await channels.isReservedOn(subscribedAsset, noon)).toBe(false);
      await channels.reserve(reservation, noon);
      expect(await channels.isReservedOn(subscribedAsset, noon + 9)).toBe(true);
      expect(await channels.isReservedOn(subscribedAsset, noon + 10)).toBe(false);
      await channels.exchange(codeOf(reservation), noon, noSettings);
      expect(await channels.isReservedOn(subscribedAsset, noon + 9)).toBe(false);
    });

    test("the slots that an account's unexchanged codes hold are listed until the code expires or is used", async () => {
      const { channels } = store.current.stores;
      const known = await connect(store.current);
      const { id: channelId, accountId } = known;
      const fresh = aReservation({ accountId, codeExpiresAt: noon + 10 });
      const revival = { channelId, accountId, identity: known.identity ?? '', codeExpiresAt: noon + 20 };
      const revives = aReservation({ ...revival, isReconnect: true });
      await channels.reserve(aReservation(), noon);
      for (const each of [fresh, revives]) await channels.reserve(each, noon);
      const slotOf = ({ subscriptionId, channelType, identity }: Reservation) => ({
        subscriptionId,
        channelType,
        identity,
      });
      const reserved = await channels.reservedSlots(accountId, noon + 9);
      expect(new Set(reserved)).toEqual(new Set([slotOf(fresh), slotOf(revives)]));
      expect(await channels.reservedSlots(accountId, noon + 10)).toEqual([slotOf(revives)]);
      await channels.exchange(codeOf(revives), noon, noSettings);
      expect(await channels.reservedSlots(accountId, noon + 10)).toEqual([]);
    });

    test('an identity belongs to one account, per channel type', async () => {
      const { channels } = store.current.stores;
      const { identity } = await connect(store.current);
      const taken = identity ?? '';
      expect(await channels.findClaimant('photoapp', taken)).toBeNull();
      expect(await channels.reserve(aReservation({ identity: taken }), noon)).toBe('identity_taken');
      expect(await channels.reserve(aReservation({ identity: taken, channelType: 'photoapp' }), noon)).toBe(
        'reserved',
      );
    });

    test('another account cannot take a reserved identity before its code expires', async () => {
      const { channels } = store.current.stores;
      const first = aReservation({ codeExpiresAt: noon + 10 });
      await channels.reserve(first, noon);
      const rival = aReservation({ identity: first.identity });
      expect(await channels.reserve(rival, noon + 9)).toBe('identity_taken');
      expect(await channels.reserve(rival, noon + 10)).toBe('reserved');
      expect(await channels.findClaimant('chatapp', first.identity)).toMatchObject({ id: rival.channelId });
    });

    test('an identity raced by 50 accounts has one winner', async () => {
      const { channels } = store.current.stores;
      const identity = newId();
      const racers = Array.from({ length: 50 }, () => aReservation({ identity }));
      const results = await Promise.all(racers.map((racer) => channels.reserve(racer, noon)));
      expect(results.filter((result) => result === 'reserved')).toHaveLength(1);
      expect(results.filter((result) => result === 'identity_taken')).toHaveLength(49);
      const winner = racers[results.indexOf('reserved')];
      expect((await channels.findClaimant('chatapp', identity))?.id).toBe(winner?.channelId);
    });

    test('the last free slot raced by 50 reservations has one winner', async () => {
      const { channels } = store.current.stores;
      const [accountId, subscriptionId] = [newId(), newId()];
      const racers = Array.from({ length: 50 }, () => aReservation({ accountId, subscriptionId }));
      const results = await Promise.all(racers.map((racer) => channels.reserve(racer, noon)));
      expect(results.filter((result) => result === 'reserved')).toHaveLength(1);
      expect(results.filter((result) => result === 'slot_taken')).toHaveLength(49);
    });

    test('a licence has one slot for each channel type', async () => {
      const { channels } = store.current.stores;
      const [accountId, subscriptionId] = [newId(), newId()];
      for (const channelType of ['chatapp', 'photoapp', 'pagechat'] as const) {
        const reservation = aReservation({ accountId, subscriptionId, channelType });
        expect(await channels.reserve(reservation, noon)).toBe('reserved');
      }
    });

    test("a reservation replaces the account's unexchanged one for the same identity", async () => {
      const { channels } = store.current.stores;
      const first = aReservation();
      const second = { ...aReservation(), accountId: first.accountId, identity: first.identity };
      await channels.reserve(first, noon);
      expect(await channels.reserve({ ...second, subscriptionId: first.subscriptionId }, noon)).toBe(
        'reserved',
      );
      expect(await channels.exchange(codeOf(first), noon, noSettings)).toBeNull();
      expect((await channels.exchange(codeOf(second), noon, noSettings))?.id).toBe(second.channelId);
    });

    test('a refused reservation leaves the previous one unchanged', async () => {
      const { channels } = store.current.stores;
      const first = aReservation();
      await channels.reserve(first, noon);
      const held = await connect(store.current, { accountId: first.accountId });
      const refused = aReservation({
        accountId: first.accountId,
        identity: first.identity,
        subscriptionId: held.subscriptionId ?? '',
      });
      expect(await channels.reserve(refused, noon)).toBe('slot_taken');
      expect((await channels.exchange(codeOf(first), noon, noSettings))?.id).toBe(first.channelId);
    });

    test('an active channel of the account cannot be reserved again', async () => {
      const { channels } = store.current.stores;
      const { id, accountId, identity } = await connect(store.current);
      const again = aReservation({ accountId, identity: identity ?? '' });
      expect(await channels.reserve(again, noon)).toBe('identity_taken');
      expect(await channels.reserve({ ...again, channelId: id }, noon)).toBe('identity_taken');
    });

    test('unless it is reconnected: it stays unchanged until the code is exchanged, in its own slot', async () => {
      const { channels } = store.current.stores;
      const before = await connect(store.current);
      const { id: channelId, accountId, identity, subscriptionId } = before;
      const own = { channelId, accountId, identity: identity ?? '', subscriptionId: subscriptionId ?? '' };
      const again = aReservation({ ...own, isReconnect: true });
      expect(await channels.reserve(again, noon)).toBe('reserved');
      expect(await channels.byId(channelId)).toEqual(before);
      const code = { hash: again.codeHash, accountId };
      const after = await channels.exchange(code, noon + 1, () => ({}));
      expect(after).toEqual({ ...before, ...again.grant, connectedAt: noon + 1 });
      expect(await channels.reserve({ ...again, accountId: newId() }, noon)).toBe('identity_taken');
    });

    test.each([
      [noon - 5, noon + 1],
      [noon + 5, noon + 5],
    ])('[faults: 456] the exchange ends a pause of %i', async (sendsPausedAt, sendsResumedAt) => {
      const { channels } = store.current.stores;
      const { id: channelId, accountId, identity, subscriptionId } = await connect(store.current);
      await channels.noteSendPause(channelId, { sendsPausedAt });
      const own = { channelId, accountId, identity: identity ?? '', subscriptionId: subscriptionId ?? '' };
      const again = aReservation({ ...own, isReconnect: true });
      await channels.reserve(again, noon);
      const after = await channels.exchange(codeOf(again), noon + 1, noSettings);
      expect(after).toMatchObject({ sendsPausedAt, sendsResumedAt });
    });

    test('[faults: 492] the exchange sees a secret that another call gives meanwhile', async () => {
      const { channels } = store.current.stores;
      const { id: channelId, accountId, identity, subscriptionId } = await connect(store.current);
      const which = { id: channelId, accountId };
      const [first, other, own] = ['first', 'other', 'own'].map((secret) => sealedText(secret));
      await channels.updateWebhook(which, { webhookSecret: first });
      const reserved = {
        channelId,
        accountId,
        identity: identity ?? '',
        subscriptionId: subscriptionId ?? '',
      };
      const again = aReservation({ ...reserved, isReconnect: true });
      await channels.reserve(again, noon);
      let rotating: Promise<ChangedChannel | null> | undefined;
      const after = await channels.exchange(codeOf(again), noon + 1, ({ webhookSecret }) => {
        rotating ??= channels.updateWebhook({ ...which, webhookSecret: first! }, { webhookSecret: other });
        return { webhookSecret: own, previousSecret: webhookSecret };
      });
      const wasFaster = (await rotating) !== null;
      expect(after).toMatchObject({ webhookSecret: own, previousSecret: wasFaster ? other : first });
    });

    test('one code cannot be used for two reservations', async () => {
      const { channels } = store.current.stores;
      const first = aReservation();
      await channels.reserve(first, noon);
      const second = aReservation({ codeHash: first.codeHash });
      await expect(channels.reserve(second, noon)).rejects.toThrow();
      expect(await channels.findClaimant('chatapp', second.identity)).toBeNull();
    });
  });
}

export function describeExchange(name: string, open: Open): void {
  describe(`${name}: exchange`, () => {
    const store = withStore(open);

    test('the channel takes the reserved profile and slot and becomes active and connected', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation();
      await channels.reserve(reservation, noon);
      const webhookSecret = sealedText('whsec');
      const seen: Channel[] = [];
      const settings = {
        webhookUrl: 'https://hooks.example.com/',
        webhookSecret,
        previousSecret: null,
        previousSecretUntil: null,
        webhookEvents: ['message.read'],
      };
      const channel = await channels.exchange(codeOf(reservation), noon + 7, (before) => {
        seen.push(before);
        return settings;
      });
      const expected: Channel = {
        id: reservation.channelId,
        accountId: reservation.accountId,
        channelType: 'chatapp',
        identity: reservation.identity,
        isActive: true,
        ...reservation.grant,
        tokenExpiresAt: null,
        sendsPausedAt: null,
        sendsResumedAt: null,
        ...settingsAtFirst,
        ...settings,
        hasEndpoints: false,
        subscriptionId: reservation.subscriptionId,
        connectedAt: noon + 7,
        createdAt: noon,
      };
      expect(channel).toEqual(expected);
      expect(await channels.inAccount(reservation.channelId, reservation.accountId)).toEqual(expected);
      expect(seen.map(({ id, channelType, isActive }) => ({ id, channelType, isActive }))).toEqual([
        { id: reservation.channelId, channelType: 'chatapp', isActive: false },
      ]);
    });

    test('a code raced by 50 callers has exactly one winner', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation();
      await channels.reserve(reservation, noon);
      const results = await Promise.all(
        Array.from({ length: 50 }, () => channels.exchange(codeOf(reservation), noon, noSettings)),
      );
      expect(results.filter((channel) => channel !== null).map(({ id }) => id)).toEqual([
        reservation.channelId,
      ]);
      expect(await channels.exchange(codeOf(reservation), noon, noSettings)).toBeNull();
    });

    test('an unknown or expired code, or one of another account, is refused', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation({ codeExpiresAt: noon + 10 });
      await channels.reserve(reservation, noon);
      const code = codeOf(reservation);
      const unknown = { ...code, hash: hashSecret(newSecret()) };
      for (const wrong of [unknown, { ...code, accountId: newId() }]) {
        expect(await channels.exchange(wrong, noon, noSettings)).toBeNull();
      }
      expect(await channels.exchange(code, noon + 10, noSettings)).toBeNull();
      expect((await channels.exchange(code, noon + 9, noSettings))?.id).toBe(reservation.channelId);
    });

    test('an error in computing the settings rejects the exchange, and the code stays valid', async () => {
      const { channels } = store.current.stores;
      const reservation = aReservation();
      await channels.reserve(reservation, noon);
      const refusal = new Error('webhook_url is not HTTPS');
      const refused = channels.exchange(codeOf(reservation), noon, () => {
        throw refusal;
      });
      await expect(refused).rejects.toBe(refusal);
      expect(await channels.byId(reservation.channelId)).toBeNull();
      expect((await channels.exchange(codeOf(reservation), noon, noSettings))?.isActive).toBe(true);
    });

    test('an inactive channel keeps its own fields until its code is exchanged, then gets the new ones', async () => {
      const { channels } = store.current.stores;
      const before = await inactiveChannel(store.current);
      const revival = revivalOf(before, { subscriptionId: newId(), grant: aGrant({ name: 'New name' }) });
      expect(await channels.reserve(revival, noon)).toBe('reserved');
      expect(await channels.byId(before.id)).toEqual(before);
      const freed = before.subscriptionId ?? '';
      for (const subscriptionId of [freed, revival.subscriptionId]) {
        expect(await channels.reserve(aReservation({ subscriptionId }), noon)).toBe('slot_taken');
      }
      const after = await channels.exchange(codeOf(revival), noon + 9, noSettings);
      expect(after).toEqual({
        ...before,
        ...revival.grant,
        subscriptionId: revival.subscriptionId,
        isActive: true,
        connectedAt: noon + 9,
      });
      expect(await channels.reserve(aReservation({ subscriptionId: freed }), noon)).toBe('reserved');
    });

    test('a channel that is bound while its code waits is connected in that slot; its own and the reserved one are free', async () => {
      const { channels, subscriptions } = store.current.stores;
      const before = await inactiveChannel(store.current);
      const licence = aSubscription(before.accountId);
      await subscriptions.insert(licence);
      const revival = revivalOf(before, { subscriptionId: newId() });
      await channels.reserve(revival, noon);
      await channels.bind(before.id, licence.id);
      expect(await channels.reservedBy(codeOf(revival), noon)).toMatchObject({ subscriptionId: licence.id });
      for (const subscriptionId of [before.subscriptionId ?? '', revival.subscriptionId])
        expect(await channels.reserve(aReservation({ subscriptionId }), noon)).toBe('reserved');
      expect(await channels.reserve(aReservation({ subscriptionId: licence.id }), noon)).toBe('slot_taken');
      const after = await channels.exchange(codeOf(revival), noon + 9, noSettings);
      expect(after).toMatchObject({ id: before.id, subscriptionId: licence.id, isActive: true });
    });

    test('a channel that is unbound while its code waits is connected in the reserved slot', async () => {
      const { channels } = store.current.stores;
      const before = await connect(store.current);
      const { id: channelId, accountId, identity } = before;
      const subscriptionId = before.subscriptionId ?? '';
      const own = { channelId, accountId, identity: identity ?? '', subscriptionId };
      const again = aReservation({ ...own, isReconnect: true });
      await channels.reserve(again, noon);
      await channels.bind(channelId, null);
      expect(await channels.reserve(aReservation({ subscriptionId }), noon)).toBe('slot_taken');
      expect(await channels.exchange(codeOf(again), noon, noSettings)).toMatchObject({ subscriptionId });
    });

    test('only the account of an inactive channel can reactivate it', async () => {
      const { channels } = store.current.stores;
      const before = await inactiveChannel(store.current);
      expect(await channels.reserve(revivalOf(before, { accountId: newId() }), noon)).toBe('identity_taken');
      expect(await channels.byId(before.id)).toEqual(before);
    });

    test('an expired reservation releases its claim and slot; an inactive channel stays unchanged', async () => {
      const { channels } = store.current.stores;
      const fresh = aReservation({ codeExpiresAt: noon + 50 });
      const later = aReservation({ codeExpiresAt: noon + 51 });
      const inactive = await inactiveChannel(store.current);
      const revival = revivalOf(inactive, { codeExpiresAt: noon + 50, subscriptionId: newId() });
      for (const each of [fresh, later, revival]) await channels.reserve(each, noon);
      expect(await channels.dropExpiredReservations(noon + 50)).toBe(2);
      expect(await channels.dropExpiredReservations(noon + 50)).toBe(0);
      expect(await channels.findClaimant('chatapp', fresh.identity)).toBeNull();
      expect(await channels.byId(inactive.id)).toEqual(inactive);
      expect(await channels.exchange(codeOf(revival), noon, noSettings)).toBeNull();
      expect((await channels.exchange(codeOf(later), noon + 50, noSettings))?.id).toBe(later.channelId);
      for (const { subscriptionId } of [fresh, revival]) {
        expect(await channels.reserve(aReservation({ subscriptionId }), noon + 50)).toBe('reserved');
      }
    });
  });
}

async function inactiveChannel(store: OpenStore): Promise<Channel> {
  const { id, accountId } = await connect(store, {}, { webhookUrl: 'https://hooks.example.com/kept' });
  const inactive = await store.stores.channels.deactivate(id, accountId);
  if (inactive === null) throw new Error('the test could not deactivate its channel');
  return inactive.after;
}

function revivalOf(channel: Channel, over: Partial<Reservation>): Reservation {
  const { id, accountId, identity, subscriptionId } = channel;
  return aReservation({
    channelId: id,
    accountId,
    identity: identity ?? '',
    subscriptionId: subscriptionId ?? '',
    ...over,
  });
}
