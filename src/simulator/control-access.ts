import type { Router } from 'express';
import { asFlag, asNumber, asText, type Bag } from './bag.ts';
import { announceUpdate, askedPhone, askedWaba } from './control-chatapp-events.ts';
import type { Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { lostSendCodes } from './model.ts';
import { shownPhone } from './phone-life.ts';
import type { World } from './world.ts';

/** Access to a chatapp account: lost when the business removes the partner, interrupted when the phone of a number changes. */
export function addAccessRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/access',
    control((ask) => setAccess(world, ask)),
  );
  router.post(
    '/numbers',
    control((ask) => changeNumber(world, ask)),
  );
  router.post(
    '/offboard',
    control((ask) => offboard(world, ask)),
  );
}

/** Tokens stay valid in `debug_token`, as upstream's do. Webhooks end with the access, after the one that tells of it. */
async function setAccess(world: World, ask: Bag): Promise<Told & { lost: boolean }> {
  const waba = askedWaba(world, ask);
  const isLost = asFlag(ask.lost) ?? true;
  const code = lostSendCodes.find((known) => known === (asNumber(ask.send_code) ?? 100));
  if (code === undefined) throw new Error(`send_code must be one of ${lostSendCodes.join(', ')}`);
  const isNews = isLost && waba.lost === null;
  waba.lost = isLost ? code : null;
  const isTold = isNews && asFlag(ask.silent) !== true;
  const told = isTold ? announceUpdate(world, waba, 'PARTNER_REMOVED', ask) : { webhooks: 0 };
  if (isLost) waba.subscribed = false;
  return { lost: isLost, ...(await told) };
}

/**
 * Changes what upstream knows of a number; it emits no webhook for it. A number moves into the phone's app or out of it, is verified,
 * named, registered, deleted and added again, or gets a PIN by its owner [upstream protocol 2.4].
 */
function changeNumber(world: World, ask: Bag): Record<string, unknown> {
  const phone = askedPhone(world, ask);
  const { life } = phone;
  phone.dualUse = asFlag(ask.dual_use) ?? phone.dualUse;
  phone.registered = asFlag(ask.registered) ?? phone.registered;
  if (ask.pin !== undefined) phone.pin = asText(ask.pin) ?? null;
  life.codeStatus = asText(ask.code_verification_status) ?? life.codeStatus;
  life.nameStatus = asText(ask.name_status) ?? life.nameStatus;
  life.isNameReady = asFlag(ask.name_ready) ?? life.isNameReady;
  life.platformType = asText(ask.platform_type) ?? life.platformType;
  life.throughput = asText(ask.throughput) ?? life.throughput;
  life.health = asText(ask.can_send_message) ?? life.health;
  if (asFlag(ask.deleted) === true) life.deletedAt = world.now();
  return { ...shownPhone(world, phone), dual_use: phone.dualUse };
}

/** Sends fail until the phone is connected again, which upstream announces too; subscriptions stay [upstream protocol 4.6]. */
async function offboard(world: World, ask: Bag): Promise<Told & { until: number }> {
  const phone = askedPhone(world, ask);
  if (!phone.dualUse) throw new Error(`${phone.id} is not dual-use: no phone can take it away`);
  const forMs = asNumber(ask.for_ms) ?? 120_000;
  const { offboarded_code: usual } = world.settings;
  const offboarded = { until: world.now() + forMs, code: asNumber(ask.code) ?? usual };
  phone.offboarded = offboarded;
  const told = await announceUpdate(world, phone.waba, 'ACCOUNT_OFFBOARDED', ask);
  world.later(forMs, () => {
    if (phone.offboarded !== offboarded) return;
    phone.offboarded = null;
    void announceUpdate(world, phone.waba, 'ACCOUNT_RECONNECTED');
  });
  return { until: offboarded.until, ...told };
}
