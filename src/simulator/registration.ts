import type { Router } from 'express';
import { findPhone } from './accounts-api.ts';
import { asText } from './bag.ts';
import type { Call } from './call.ts';
import { badParameter, GraphError } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import type { Phone } from './model.ts';
import type { World } from './world.ts';

const windowMs = 72 * 3_600_000;
const deletedMs = 5 * 60_000;

/** Registration of numbers, with its limits [upstream protocol 2.4]. */
export function addRegistrationRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.post(
    '/:id/register',
    graph((call, req) => register(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/deregister',
    graph((call, req) => deregister(world, call, param(req, 'id'))),
  );
}

/** Throws in upstream's order: the limit counts every call, also those that are refused for another reason. */
function register(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  const pin = asText(call.bag.pin) ?? '';
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  if (!/^\d{6}$/.test(pin)) throw badParameter('Invalid parameter', 'Param pin must be 6 digits long.');
  if (phone.dualUse)
    throw badParameter('Registering a number that is in use on the business app is not permitted');
  countCall(world, phone, 'registrations');
  checkReady(world, phone);
  checkPin(world, phone, pin);
  phone.pin = pin;
  phone.registered = true;
  return { success: true };
}

function deregister(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  if (phone.dualUse)
    throw badParameter('Deregistering a number that is in use on the business app is not permitted');
  countCall(world, phone, 'deregistrations');
  phone.registered = false;
  return { success: true };
}

/** Each kind of call has a count of its own; the one beyond the limit blocks the number for 72 hours. */
function countCall(world: World, phone: Phone, kind: 'registrations' | 'deregistrations'): void {
  const { registration_limit: limit } = world.settings;
  if (limit === 0) return;
  const now = world.now();
  const { life } = phone;
  if (now < life.blockedUntil) throw new GraphError({ code: 133_016 });
  life[kind] = life[kind].filter((at) => now - at < windowMs);
  if (life[kind].length >= limit) {
    life.blockedUntil = now + windowMs;
    throw new GraphError({ code: 133_016 });
  }
  life[kind].push(now);
}

/** A number that is not verified, whose name is still being processed, or that was deleted a moment ago cannot be registered. */
function checkReady(world: World, { life }: Phone): void {
  if (life.codeStatus !== 'VERIFIED') throw new GraphError({ code: 133_006 });
  if (life.deletedAt !== null && world.now() - life.deletedAt < deletedMs)
    throw new GraphError({ code: 133_015 });
  if (life.isNameReady) return;
  throw new GraphError({
    code: 100,
    subcode: 2_388_001,
    message: '(#100) Invalid parameter',
    userTitle: 'Cannot create certificate',
    userMessage: 'Your display name could not be processed. Try again later.',
  });
}

/** [upstream error codes] A wrong PIN is 133005, one too soon after another 133009, one too many 133008. The thresholds are guesses. */
function checkPin(world: World, phone: Phone, pin: string): void {
  if (phone.pin === null) return;
  const { pin_guesses: guesses, pin_gap_ms: gapMs } = world.settings;
  const { life } = phone;
  const now = world.now();
  const last = life.wrongPins.at(-1);
  if (guesses > 0 && life.wrongPins.length >= guesses) throw new GraphError({ code: 133_008 });
  if (last !== undefined && now - last < gapMs) throw new GraphError({ code: 133_009 });
  if (phone.pin === pin) {
    life.wrongPins = [];
    return;
  }
  life.wrongPins.push(now);
  throw new GraphError({ code: 133_005, details: 'Two-step verification PIN incorrect.' });
}
