import type { Router } from 'express';
import { asBag, asList, asNames, asText, type Bag } from './bag.ts';
import type { Call } from './call.ts';
import { badParameter, GraphError } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import type { Page } from './model.ts';
import { findPage } from './thread-api.ts';
import type { World } from './world.ts';

/** Settable members by `platform`: for people of the page and of its photoapp account. */
const members: Readonly<Record<string, readonly string[]>> = {
  messenger: [
    'account_linking_url',
    'commands',
    'description',
    'get_started',
    'greeting',
    'home_url',
    'ice_breakers',
    'persistent_menu',
    'title',
    'whitelisted_domains',
  ],
  instagram: ['ice_breakers', 'persistent_menu'],
};

type ProfileRequest = { readonly page: Page; readonly platform: string; readonly known: readonly string[] };

/** `/{page}/messenger_profile`: greeting, menu and the rest that a conversation shows before it starts [upstream protocol 9.1]. */
export function addMessengerProfileRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/messenger_profile',
    graph((call, req) => show(askedOf(world, call, param(req, 'id')), call)),
  );
  router.post(
    '/:id/messenger_profile',
    graph((call, req) => set(askedOf(world, call, param(req, 'id')), call)),
  );
  router.delete(
    '/:id/messenger_profile',
    graph((call, req) => unset(askedOf(world, call, param(req, 'id')), call)),
  );
}

function askedOf(world: World, call: Call, id: string): ProfileRequest {
  const page = findPage(world, call, id);
  const platform = (asText(call.bag.platform) ?? 'messenger').toLowerCase();
  const known = members[platform];
  if (!known) throw badParameter('Param platform must be one of {MESSENGER, INSTAGRAM}');
  return { page, platform, known };
}

function show({ page, platform, known }: ProfileRequest, { bag }: Call): { data: Bag[] } {
  const names = fieldsOf(bag);
  checkNames(names, known);
  const profile = page.messengerProfiles[platform] ?? {};
  const wanted = names.length === 0 ? known : names;
  const shown = Object.fromEntries(Object.entries(profile).filter(([name]) => wanted.includes(name)));
  return { data: Object.keys(shown).length === 0 ? [] : [shown] };
}

function set({ page, platform, known }: ProfileRequest, { bag }: Call): { result: 'success' } {
  const given = known.filter((name) => bag[name] !== undefined);
  if (given.length === 0) throw badParameter(`Requires one of the params: ${known.join(',')}`);
  const changes = given.map((name) => [name, asBag(bag[name]) ?? asList(bag[name]) ?? bag[name]]);
  return keep(page, platform, { ...page.messengerProfiles[platform], ...Object.fromEntries(changes) });
}

function unset({ page, platform, known }: ProfileRequest, { bag }: Call): { result: 'success' } {
  const names = fieldsOf(bag);
  if (names.length === 0) throw badParameter('The parameter fields is required');
  checkNames(names, known);
  const kept = Object.entries(page.messengerProfiles[platform] ?? {}).filter(
    ([name]) => !names.includes(name),
  );
  return keep(page, platform, Object.fromEntries(kept));
}

/** Accepts any case: upstream's own client writes `GET_STARTED`. */
function fieldsOf(bag: Bag): string[] {
  return asNames(bag.fields).map((name) => name.toLowerCase());
}

function checkNames(names: readonly string[], known: readonly string[]): void {
  const place = names.findIndex((name) => !known.includes(name));
  if (place >= 0) throw badParameter(`Param fields[${place}] must be one of {${known.join(', ')}}`);
}

// The menu requires the button that starts a conversation; a photoapp account has none.
function keep(page: Page, platform: string, profile: Bag): { result: 'success' } {
  const isMenuAlone = profile.persistent_menu !== undefined && profile.get_started === undefined;
  if (platform === 'messenger' && isMenuAlone) {
    const message = '(#100) You must set a Get Started button if you also wish to use persistent menu';
    throw new GraphError({ code: 100, subcode: 2018145, message });
  }
  page.messengerProfiles[platform] = profile;
  return { result: 'success' };
}
