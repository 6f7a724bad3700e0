import type { Phone, PhoneLife } from './model.ts';
import type { World } from './world.ts';

export function newPhoneLife(): PhoneLife {
  return {
    registrations: [],
    deregistrations: [],
    blockedUntil: 0,
    wrongPins: [],
    codeStatus: 'VERIFIED',
    nameStatus: 'APPROVED',
    isNameReady: true,
    deletedAt: null,
    platformType: null,
    throughput: null,
    signedUpAt: null,
    health: 'AVAILABLE',
  };
}

/** Notes that a dialog granted these assets: for a while their numbers do not yet belong to this API. */
export function noteSignUp(world: World, assets: Iterable<string>): void {
  for (const id of assets) {
    const node = world.nodes.get(id);
    if (node?.type === 'waba') for (const { life } of node.phones) life.signedUpAt = world.now();
    if (node?.type === 'phone') node.life.signedUpAt = world.now();
  }
}

/** A number as its node shows it [upstream protocol 2.4]. */
export function shownPhone(world: World, phone: Phone): Record<string, unknown> {
  const { settings } = world;
  const { life } = phone;
  return {
    id: phone.id,
    display_phone_number: phone.display,
    verified_name: phone.verifiedName,
    quality_rating: phone.quality,
    code_verification_status: life.codeStatus,
    name_status: life.nameStatus,
    platform_type: platformOf(world, life),
    is_on_biz_app: phone.dualUse,
    is_pin_enabled: phone.pin !== null,
    // A number without rate limits counts as a fast one.
    throughput: { level: life.throughput ?? (settings.rates ? 'STANDARD' : settings.throughput) },
    status: phone.registered ? 'CONNECTED' : 'PENDING',
    health_status: healthOf(world, phone),
    webhook_configuration: callbacksOf(world, phone),
  };
}

// [field, 2026-08] Right after a sign-up the platform is not known yet, also for a number that is in use in the phone's app.
function platformOf(world: World, { platformType, signedUpAt }: PhoneLife): string {
  const isFresh = signedUpAt !== null && world.now() - signedUpAt < world.settings.platform_lag_ms;
  return platformType ?? (isFresh ? 'NOT_APPLICABLE' : 'CLOUD_API');
}

/** Whether each of the four objects behind a send can send [upstream's page on health status]. */
function healthOf(world: World, phone: Phone): Record<string, unknown> {
  const { health } = phone.life;
  const able = (entity_type: string, id: string): object => ({
    entity_type,
    id,
    can_send_message: 'AVAILABLE',
  });
  const problem = {
    error_code: 141_006,
    error_description: 'There is an error with the payment method.',
    possible_solution: 'Add a payment method.',
  };
  const number = {
    ...able('PHONE_NUMBER', phone.id),
    can_send_message: health,
    ...(health === 'AVAILABLE' ? {} : { errors: [problem] }),
  };
  const others = [
    able('WABA', phone.waba.id),
    able('BUSINESS', phone.waba.businessId),
    able('APP', world.app.id),
  ];
  return { can_send_message: health, entities: [number, ...others] };
}

/** The callback in force at each level that has one. */
function callbacksOf(world: World, phone: Phone): Record<string, string> {
  const application = world.subscriptions.get('whatsapp_business_account')?.callbackUrl;
  const account = phone.waba.override?.url;
  const number = phone.override?.url;
  return {
    ...(application === undefined ? {} : { application }),
    ...(account === undefined ? {} : { whatsapp_business_account: account }),
    ...(number === undefined ? {} : { phone_number: number }),
  };
}
