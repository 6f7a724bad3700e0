import type { Router } from 'express';
import { asBag, asFlag, asList, asNumber, asText, type Bag } from './bag.ts';
import { addBusiness, findPerson, type BusinessPlan, type PagePlan, type PhonePlan } from './businesses.ts';
import { oneOf, required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { emitWaba } from './events.ts';
import { newDigits } from './ids.ts';
import { kindOf, profileKinds, type Business } from './model.ts';
import { changeSettings, settingsOf, type Settings } from './settings.ts';
import type { World } from './world.ts';

/** Routes for tenants, people, settings and clock. */
export function addWorldRoutes(router: Router, control: ControlRoute, world: World): void {
  router.get(
    '/world',
    control(() => shownWorld(world)),
  );
  router.post(
    '/reset',
    control(() => reset(world)),
  );
  router.post(
    '/businesses',
    control((ask) => addBusinesses(world, ask)),
  );
  router.post(
    '/people',
    control((ask) => addPerson(world, ask)),
  );
  router.get(
    '/settings',
    control(() => shownSettings(world)),
  );
  router.post(
    '/settings',
    control((ask) => settle(world, ask)),
  );
  router.post(
    '/profile',
    control((ask) => changeProfile(world, ask)),
  );
  router.post(
    '/clock',
    control((ask) => advance(world, ask)),
  );
  router.post(
    '/quality',
    control((ask) => setQuality(world, ask)),
  );
  router.post(
    '/account-events',
    control((ask) => accountEvent(world, ask)),
  );
}

function shownWorld(world: World): Record<string, unknown> {
  const scoped = [...world.nodes.values()].filter((node) => node.type === 'person');
  return {
    app: { id: world.app.id },
    businesses: [...world.businesses.values()].map(shownBusiness),
    people: [...world.phonePeople.values(), ...scoped].map(({ kind, id, home, name, profile }) => ({
      kind,
      id,
      home,
      name,
      profile,
    })),
    subscriptions: [...world.subscriptions].map(([object, { callbackUrl, fields }]) => ({
      object,
      callback_url: callbackUrl,
      fields: fields ? [...fields] : 'all',
    })),
    tokens: [...world.tokens.all()].map(({ text, kind, subject, state, scopes }) => ({
      text,
      kind,
      subject,
      state,
      scopes,
    })),
  };
}

function shownBusiness(business: Business): Record<string, unknown> {
  const { waba, pages } = business;
  return {
    business_id: business.id,
    name: business.name,
    login: business.login,
    waba_id: waba.id,
    waba_token: `EAAbusiness-${waba.id}`,
    waba_subscribed: waba.subscribed,
    phone_numbers: waba.phones.map(({ id, display, digits, dualUse }) => ({
      id,
      display,
      digits,
      dual_use: dualUse,
    })),
    pages: pages.map((page) => ({
      id: page.id,
      name: page.name,
      token: `EAApage-${page.id}`,
      photoapp_account_id: page.photo?.id ?? null,
      photoapp_username: page.photo?.username ?? null,
      subscribed_fields: page.fields ? [...page.fields] : null,
    })),
  };
}

function reset(world: World): { ok: true } {
  world.reset();
  return { ok: true };
}

const maxBusinesses = 100_000;

function addBusinesses(world: World, ask: Bag): Record<string, unknown> {
  const count = asNumber(ask.count) ?? 1;
  if (count < 1 || count > maxBusinesses) throw new Error(`count must lie between 1 and ${maxBusinesses}`);
  return { businesses: Array.from({ length: count }, () => shownBusiness(addBusiness(world, planOf(ask)))) };
}

function planOf(ask: Bag): BusinessPlan {
  const name = asText(ask.name) ?? `Shop ${newDigits('', 6)}`;
  return {
    id: asText(ask.business_id) ?? newDigits('62', 15),
    name,
    login: asText(ask.login) ?? newDigits('1011', 16),
    loginName: `Owner of ${name}`,
    wabaId: asText(ask.waba_id) ?? newDigits('3113', 15),
    phones: many(ask.phone_numbers, 1, phonePlan),
    pages: many(ask.pages, 1, (page) => pagePlan(name, page)),
    isSubscribed: asFlag(ask.subscribed) ?? false,
  };
}

/** Plans from a list, or as many generated plans as asked for. */
function many<Plan>(value: unknown, otherwise: number, plan: (given: Bag) => Plan): Plan[] {
  const list = asList(value);
  if (list) return list.map((item) => plan(asBag(item) ?? {}));
  return Array.from({ length: asNumber(value) ?? otherwise }, () => plan({}));
}

function phonePlan(given: Bag): PhonePlan {
  const id = asText(given.id) ?? newDigits('4224', 15);
  const display = asText(given.display) ?? `+999 ${newDigits('5', 10)}`;
  return { id, display, dualUse: asFlag(given.dual_use) ?? false };
}

function pagePlan(business: string, given: Bag): PagePlan {
  const id = asText(given.id) ?? newDigits('5201', 15);
  const photoId =
    given.photoapp_account_id === null ? null : (asText(given.photoapp_account_id) ?? newDigits('17841', 17));
  return {
    id,
    name: asText(given.name) ?? business,
    photoId,
    username: asText(given.username) ?? `shop.${id.slice(-6)}`,
  };
}

function addPerson(world: World, ask: Bag): Record<string, unknown> {
  const channel = world.channel(asText(ask.channel));
  const id = required(ask, 'id');
  const profile = oneOf(ask, 'profile', profileKinds, 'full');
  const given = {
    name: asText(ask.name),
    username: asText(ask.username),
    shown: asBag(ask.shown),
    profile,
    userId: asText(ask.user_id),
    parentUserId: asText(ask.parent_user_id),
    hidesNumber: asFlag(ask.hides_number),
  };
  const person = findPerson(world, kindOf(channel), channel.id, id, given);
  const input = asText(ask.input);
  if (input !== undefined) world.dialled.set(input.replace(/\D/g, ''), id);
  return {
    kind: person.kind,
    id,
    home: person.home,
    name: person.name,
    user_id: person.userId,
    profile: person.profile,
  };
}

function settle(world: World, ask: Bag): unknown {
  changeSettings(world.settings, ask);
  if (typeof ask.callback_url === 'string') world.offerCallback(ask.callback_url);
  return shownSettings(world);
}

/** Sets every setting of the profile; `callback_url` stays. */
function changeProfile(world: World, ask: Bag): Settings {
  const profile = oneOf(ask, 'profile', ['strict', 'lax'], 'strict');
  const { callback_url: callbackUrl } = world.settings;
  changeSettings(world.settings, { ...settingsOf(profile), callback_url: callbackUrl });
  return shownSettings(world);
}

/** The settings with the current `callback_url`, which a subscription may have changed; null if the objects have different ones. */
function shownSettings({ settings, subscriptions }: World): Settings {
  const urls = new Set([...subscriptions.values()].map(({ callbackUrl }) => callbackUrl));
  const [only = settings.callback_subscribes ? null : settings.callback_url] = urls;
  return { ...settings, callback_url: urls.size > 1 ? null : only };
}

function advance(world: World, ask: Bag): { now: number } {
  world.advance(asNumber(ask.advance_ms) ?? 0);
  return { now: world.now() };
}

/**
 * Changes the quality rating and emits what upstream emits: not the rating itself, but that the number was flagged or unflagged, or the
 * event asked for [upstream protocol 4.6].
 */
async function setQuality(world: World, ask: Bag): Promise<Told & { rating: string }> {
  const phone = world.channel(asText(ask.phone_number_id));
  if (phone.type !== 'phone') throw new Error(`${phone.id} is no phone number`);
  const { quality: previous } = phone;
  phone.quality = oneOf(ask, 'rating', ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'], 'GREEN');
  const usual = phone.quality === previous ? undefined : phone.quality === 'RED' ? 'FLAGGED' : undefined;
  const unflagged = previous === 'RED' && phone.quality !== 'RED' ? 'UNFLAGGED' : undefined;
  const event = ask.event === null ? undefined : (asText(ask.event) ?? usual ?? unflagged);
  if (event === undefined) return { rating: phone.quality, webhooks: 0 };
  const value = {
    display_phone_number: phone.digits,
    event,
    ...limitOf(ask),
  };
  const field = 'phone_number_quality_update';
  const told = await tell(ask, (heard) =>
    Number(emitWaba(world, phone.waba, { field, kind: 'account', value }, heard)),
  );
  return { rating: phone.quality, ...told };
}

/** The limit of the number: as a tier, or, since 2026-02, as the number of conversations a day [upstream protocol 4.6]. */
function limitOf(ask: Bag): Record<string, unknown> {
  const daily = ask.max_daily_conversations_per_business;
  if (daily !== undefined) return { max_daily_conversations_per_business: daily };
  const before = ask.old_limit === undefined ? {} : { old_limit: ask.old_limit };
  return { current_limit: asText(ask.current_limit) ?? 'TIER_1K', ...before };
}

async function accountEvent(world: World, ask: Bag): Promise<Told> {
  const node = world.nodes.get(required(ask, 'waba_id'));
  if (node?.type !== 'waba') throw new Error('no business account has this id');
  const field = asText(ask.field) ?? 'account_update';
  return tell(ask, (heard) =>
    Number(emitWaba(world, node, { field, kind: 'account', value: asBag(ask.value) ?? {} }, heard)),
  );
}
