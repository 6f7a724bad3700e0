import { newDigits } from './ids.ts';
import type { Business, Kind, Page, PageAccess, Person, Phone, ProfileKind, Targets, Waba } from './model.ts';
import { newPhoneLife } from './phone-life.ts';
import { addSeedTemplates } from './templates-seed.ts';
import type { World } from './world.ts';

export type PhonePlan = { readonly id: string; readonly display: string; readonly dualUse: boolean };
export type PagePlan = {
  readonly id: string;
  readonly name: string;
  readonly photoId: string | null;
  readonly username: string;
};

/** Ids and names of a tenant to be created. */
export type BusinessPlan = {
  readonly id: string;
  readonly name: string;
  readonly login: string;
  readonly loginName: string;
  readonly wabaId: string;
  readonly phones: readonly PhonePlan[];
  readonly pages: readonly PagePlan[];
  readonly isSubscribed: boolean;
};

/** Fields that a page subscribes to when the control API subscribes it. */
const allPageFields: readonly string[] = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
];

const chatappScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
const pageScopes = [
  'pages_show_list',
  'pages_messaging',
  'pages_manage_metadata',
  'pages_read_engagement',
  'instagram_basic',
  'instagram_manage_messages',
  'business_management',
];

/** Adds a tenant with its assets, fixed tokens and templates. Throws an Error when an id is taken. */
export function addBusiness(world: World, plan: BusinessPlan): Business {
  const ids = [
    plan.wabaId,
    ...plan.phones.map((phone) => phone.id),
    ...plan.pages.flatMap((page) => [page.id, page.photoId]),
  ];
  const taken = [...ids, plan.id].find(
    (id) => id !== null && (world.nodes.has(id) || world.businesses.has(id)),
  );
  if (taken !== undefined) throw new Error(`the id ${String(taken)} is taken`);
  const business: Business = {
    id: plan.id,
    name: plan.name,
    login: plan.login,
    loginName: plan.loginName,
    waba: newWaba(plan),
    pages: plan.pages.map((page) => newPage(plan, page)),
  };
  world.businesses.set(business.id, business);
  enter(world, business);
  addFixedTokens(world, business);
  addSeedTemplates(world, business.waba);
  return business;
}

function newWaba(plan: BusinessPlan): Waba {
  const waba: Waba = {
    type: 'waba',
    id: plan.wabaId,
    name: plan.name,
    businessId: plan.id,
    phones: [],
    templates: [],
    blockedNames: new Map(),
    creations: [],
    managed: [],
    subscribed: plan.isSubscribed,
    override: null,
    lost: null,
  };
  waba.phones.push(...plan.phones.map((phone) => newPhone(plan.name, waba, phone)));
  return waba;
}

function newPhone(verifiedName: string, waba: Waba, plan: PhonePlan): Phone {
  return {
    type: 'phone',
    ...plan,
    digits: plan.display.replace(/\D/g, ''),
    verifiedName,
    waba,
    quality: 'GREEN',
    profile: {},
    settings: {},
    blocked: new Map(),
    registered: true,
    life: newPhoneLife(),
    pin: null,
    override: null,
    paceUntil: 0,
    offboarded: null,
  };
}

function newPage(plan: BusinessPlan, page: PagePlan): Page {
  const fields = plan.isSubscribed ? new Set(allPageFields) : null;
  const made: Page = {
    type: 'page',
    id: page.id,
    name: page.name,
    businessId: plan.id,
    photo: null,
    fields,
    pace: { all: 0, audioVideo: 0 },
    access: newAccess(),
    messengerProfiles: {},
  };
  const { photoId, username, name } = page;
  if (photoId !== null)
    made.photo = { type: 'photo', id: photoId, username, name, page: made, pace: { all: 0, audioVideo: 0 } };
  return made;
}

function newAccess(): PageAccess {
  return {
    inPortfolio: true,
    clientOf: null,
    isPickerOnly: false,
    hasToken: true,
    isClassic: false,
    tasks: new Map(),
  };
}

function enter(world: World, business: Business): void {
  for (const node of [business.waba, ...business.waba.phones, ...business.pages])
    world.nodes.set(node.id, node);
  for (const page of business.pages) if (page.photo) world.nodes.set(page.photo.id, page.photo);
}

function addFixedTokens(world: World, business: Business): void {
  const common = { login: business.login, declined: [], targets: {}, expiresAt: 0 };
  const { waba } = business;
  const text = `EAAbusiness-${waba.id}`;
  world.tokens.mint({
    ...common,
    text,
    kind: 'business',
    subject: waba.id,
    scopes: chatappScopes,
    assets: new Set([waba.id]),
  });
  for (const page of business.pages)
    mintPageToken(world, page, { ...common, scopes: pageScopes, text: `EAApage-${page.id}` });
}

/** Creates a token for the page and its photoapp account. */
export function mintPageToken(
  world: World,
  page: Page,
  from: {
    readonly login: string;
    readonly scopes: readonly string[];
    readonly declined: readonly string[];
    readonly targets: Targets;
    readonly expiresAt: number;
    readonly text?: string | undefined;
  },
): string {
  const assets = new Set(page.photo ? [page.id, page.photo.id] : [page.id]);
  const { login, declined, targets, expiresAt, text } = from;
  const isFor = (scope: string): boolean => targets[scope]?.some((id) => assets.has(id)) ?? true;
  const scopes = from.scopes.filter(isFor);
  return world.tokens.mint({
    login,
    scopes,
    declined,
    targets: {},
    expiresAt,
    text,
    kind: 'page',
    subject: page.id,
    assets,
  }).text;
}

/** Creates a token that never expires for a page or business account, as after a connection. */
export function mintAssetToken(world: World, asset: Page | Waba): string {
  const login = world.businesses.get(asset.businessId)?.login ?? '';
  const common = { login, declined: [], targets: {}, expiresAt: 0 };
  if (asset.type === 'page') return mintPageToken(world, asset, { ...common, scopes: pageScopes });
  const assets = new Set([asset.id]);
  return world.tokens.mint({ ...common, kind: 'business', subject: asset.id, scopes: chatappScopes, assets })
    .text;
}

/** Returns the person, added if unknown. Throws an Error when a scoped id belongs to another page or account. */
export function findPerson(
  world: World,
  kind: Kind,
  home: string,
  id: string,
  given: {
    readonly name?: string | undefined;
    readonly username?: string | undefined;
    readonly userId?: string | undefined;
    readonly parentUserId?: string | undefined;
    readonly hidesNumber?: boolean | undefined;
    readonly shown?: Readonly<Record<string, unknown>> | undefined;
    readonly profile?: ProfileKind | undefined;
  } = {},
): Person {
  const known = kind === 'chatapp' ? world.phonePeople.get(id) : world.nodes.get(id);
  if (known && known.type !== 'person') throw new Error(`the id ${id} is taken`);
  if (known && kind !== 'chatapp' && known.home !== home)
    throw new Error(`${id} is a user of ${String(known.home)}`);
  const { name: newName, username, shown, userId, parentUserId, hidesNumber } = given;
  const isRenamed = [newName, username, shown, userId, parentUserId, hidesNumber].some(
    (value) => value !== undefined,
  );
  if (known && !isRenamed) {
    if (given.profile) known.profile = given.profile;
    return known;
  }
  const name = given.name ?? known?.name ?? `Guest ${id.slice(-4)}`;
  const person: Person = {
    type: 'person',
    kind,
    id,
    home: kind === 'chatapp' ? null : home,
    name,
    userId: kind === 'chatapp' ? (userId ?? known?.userId ?? newUserId(world)) : null,
    parentUserId: parentUserId ?? known?.parentUserId ?? null,
    portfolio: portfolioOf(world, home) ?? known?.portfolio ?? null,
    hidesNumber: hidesNumber ?? known?.hidesNumber ?? false,
    username: given.username ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '.'),
    shown: given.shown ?? known?.shown ?? {},
    profile: given.profile ?? known?.profile ?? 'full',
  };
  return enterPerson(world, person);
}

// Ids of the platform have letters too.
function newUserId({ settings }: World): string {
  return newDigits(settings.scoped_user_ids ? 'XX.aB9026Z' : 'XX.9026', 23);
}

function portfolioOf(world: World, channelId: string): string | undefined {
  const node = world.nodes.get(channelId);
  return node?.type === 'phone' ? node.waba.businessId : undefined;
}

/** Adds a person under its id and its business-scoped user id. */
export function enterPerson(world: World, person: Person): Person {
  if (person.kind !== 'chatapp') world.nodes.set(person.id, person);
  else world.phonePeople.set(person.id, person);
  for (const id of [person.userId, person.parentUserId]) if (id !== null) world.dialled.set(id, person.id);
  return person;
}
