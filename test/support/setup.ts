/** The setup flow step by step, for tests of its steps and failures. [spec: Connecting a channel] */
import type { Answer } from './api.ts';
import type { Service, Simulator } from './service.ts';
import { follow, newAccount } from './world.ts';
import type { Account, Channel, ChannelType, World } from './world.ts';

/** The redirect URI at which a setup flow ends. */
export const home = 'https://app.example.com/done';

/** What the person does in upstream's dialog. */
export interface Dialog {
  auto?: 'allow' | 'deny';
  assets?: readonly string[];
  decline?: readonly string[];
  login?: string;
}

/** Adds a redirect pattern that admits `home`. */
export async function allowRedirect(service: Service, key: string): Promise<void> {
  const answer = await service.call('POST', '/api/v1/redirects', {
    key,
    body: { uri_pattern: 'https://app.example.com/*' },
  });
  if (answer.status !== 201) throw new Error(`redirects answered ${answer.status}: ${answer.text}`);
}

export function setupUrl(
  service: Service,
  key: string,
  type: ChannelType,
  redirectUri = home,
): Promise<Answer> {
  return service.call('POST', '/api/v1/channels/setup-url', {
    key,
    body: { channel_type: type, redirect_uri: redirectUri },
  });
}

/** Walks the setup flow from a new setup URL through the dialog; returns the URL to which the person is redirected at its end. */
export async function walkSetup(
  { service, simulator }: { service: Service; simulator: Simulator },
  key: string,
  type: ChannelType,
  dialog: Dialog = {},
): Promise<URL> {
  await allowRedirect(service, key);
  const started = await setupUrl(service, key, type);
  if (started.status !== 200) throw new Error(`setup-url answered ${started.status}: ${started.text}`);
  await simulator.control('dialog', { auto: 'allow', times: 1, ...dialog });
  return follow(started.body.setup_url, home, dialog.assets?.[0]);
}

export function exchange(
  service: Service,
  key: string,
  code: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return service.call('POST', '/api/v1/channels/exchange-code', { key, body: { code, ...more } });
}

/** The query parameters of the URL at which a flow ended. */
export function endParameters(end: URL): Record<string, string> {
  return Object.fromEntries(end.searchParams);
}

/** The one-time code in the URL at which a flow ended; throws if there is none. */
export function codeIn(end: URL): string {
  const code = end.searchParams.get('code');
  if (code === null) throw new Error(`the setup ended without a code: ${end.search}`);
  return code;
}

export interface Business {
  wabaId: string;
  phones: { id: string; display: string }[];
  pages: { id: string; name: string; photoapp_account_id: string; photoapp_username: string }[];
  name: string;
}

/** Makes a new business upstream, with its own assets, so that tests that connect them do not conflict. */
export async function newBusiness(
  simulator: Simulator,
  has: { phone_numbers?: number; pages?: number } = {},
): Promise<Business> {
  const { businesses } = await simulator.control('businesses', { count: 1, ...has });
  const [{ waba_id: wabaId, phone_numbers: phones, pages, name }] = businesses;
  return { wabaId, phones, pages, name };
}

/** A new account that has walked the setup flow for an asset of its own, and its one-time code, not yet exchanged. */
export async function freshCode(
  world: { service: Service; simulator: Simulator },
  type: ChannelType = 'pagechat',
): Promise<{ key: string; code: string; business: Business }> {
  const { key } = await newAccount(world.service);
  const business = await newBusiness(world.simulator);
  const { wabaId, pages } = business;
  const assets = [type === 'chatapp' ? wabaId : (pages[0]?.id ?? '')];
  return { key, code: codeIn(await walkSetup(world, key, type, { assets })), business };
}

export interface OwnAsset {
  account: Account;
  channel: Channel;
  /** The id of the upstream object to which tokens and webhook subscriptions belong: the business account or the page. */
  asset: string;
}

/** The business's first asset of this type, as the dialog names it. */
export function assetOf({ phones, pages }: Business, type: ChannelType): string {
  const [page] = pages;
  return { chatapp: phones[0]?.id, photoapp: page?.photoapp_account_id, pagechat: page?.id }[type] ?? '';
}

/** Connects a channel of a new account to an asset that no other test uses. */
export async function connectOwnAsset(world: World, type: ChannelType): Promise<OwnAsset> {
  const account = await newAccount(world.service);
  const business = await newBusiness(world.simulator);
  const channel = await world.connect(account, type, { upstream: assetOf(business, type) });
  return { account, channel, asset: type === 'chatapp' ? business.wabaId : (business.pages[0]?.id ?? '') };
}

/** As `connectOwnAsset`, for tests that need the channel alone. */
export async function ownChannel(world: World, type: ChannelType = 'chatapp'): Promise<Channel> {
  return (await connectOwnAsset(world, type)).channel;
}
