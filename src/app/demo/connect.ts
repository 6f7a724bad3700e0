/** Creates an account and a channel of each type through the real flow: setup URL → dialog → callback → code → exchange. */
import { kindOf } from '../../rules/channels/kinds.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { dayMs } from '../../kernel/clock.ts';
import { ask, textIn } from './ask.ts';
import { addresses } from './people.ts';
import type { Places } from './programs.ts';
import { crmPath } from './receiver.ts';

const trialEndsInMs = 5 * dayMs;

export interface ConnectedChannel {
  id: string;
  type: ChannelType;
  name: string;
  webhookSecret: string;
}

export interface Connected {
  apiKey: string;
  adminToken: string;
  person: DemoPerson;
  channels: ConnectedChannel[];
  /** Of the further endpoint of the first channel. */
  endpointSecret: string;
}

export async function connectChannels(places: Places & { adminToken: string }): Promise<Connected> {
  const { service, receiver, adminToken } = places;
  const operator = { authorization: `Bearer ${adminToken}` };
  const email = 'demo@example.com';
  const account = await ask.post(`${service}/admin/v1/accounts`, { email, name: 'Demo' }, operator);
  const apiKey = textIn(account, 'api_key');
  const key = { 'x-api-key': apiKey };
  await ask.post(`${service}/api/v1/redirects`, { uri_pattern: `${receiver}/*` }, key);
  const channels: ConnectedChannel[] = [];
  for (const type of channelTypes) channels.push(await connect(places, key, type));
  // The channels fill the trial's slots; a second licence lets the person connect a channel by hand.
  const subscriptions = `${service}/admin/v1/accounts/${textIn(account, 'account_id')}/subscriptions`;
  await ask.post(subscriptions, { tier: 'pro', source: 'enterprise' }, operator);
  // The portal's first page shows a licence that ends soon.
  const trial = `${service}/admin/v1/subscriptions/${textIn(account, 'subscription_id')}`;
  const expiresAt = new Date(Date.now() + trialEndsInMs).toISOString();
  await ask.patch(trial, { expires_at: expiresAt }, operator);
  const person = await setPassword(service, operator, email);
  const endpointSecret = await addEndpoint(places, key, channels[0]);
  return { apiKey, adminToken, person, channels, endpointSecret };
}

async function connect(
  { service, simulator, receiver }: Places,
  key: Record<string, string>,
  type: ChannelType,
): Promise<ConnectedChannel> {
  await ask.post(`${simulator}/control/dialog`, { auto: 'allow', assets: [addresses[type]], times: 1 });
  const request = { channel_type: type, redirect_uri: `${receiver}/connected` };
  const setupUrl = textIn(await ask.post(`${service}/api/v1/channels/setup-url`, request, key), 'setup_url');
  let location = setupUrl;
  while (!location.startsWith(receiver)) location = await nextOf(location, addresses[type]);
  const code = new URL(location).searchParams.get('code');
  if (code === null) throw new Error(`the ${type} setup ended without a code: ${new URL(location).search}`);
  const exchange = {
    code,
    webhook_url: `${receiver}/webhooks`,
    webhook_events: kindOf(type).availableEvents,
  };
  const channel = await ask.post(`${service}/api/v1/channels/exchange-code`, exchange, key);
  return {
    id: textIn(channel, 'channel_id'),
    type,
    name: textIn(channel, 'name'),
    webhookSecret: textIn(channel, 'webhook_secret'),
  };
}

/** Beside the channel's webhook, with events, a header and a secret of its own. Returns the secret. */
async function addEndpoint(
  { service, receiver }: Places,
  key: Record<string, string>,
  channel: ConnectedChannel | undefined,
): Promise<string> {
  if (channel === undefined) throw new Error('no channel was connected');
  const endpoint = {
    url: receiver + crmPath,
    events: ['message.received', 'message.failed'],
    headers: { Authorization: 'Bearer demo-crm' },
  };
  const made = await ask.post(`${service}/api/v1/channels/${channel.id}/endpoints`, endpoint, key);
  return textIn(made, 'secret');
}

/** Where a browser goes from here. On the page that asks which of several assets to connect, the demo takes its own. */
async function nextOf(location: string, address: string): Promise<string> {
  const answer = await fetch(location, { redirect: 'manual' });
  const next = answer.headers.get('location');
  if (next !== null) return next;
  const csrf = new URL(location).searchParams.get('state') ?? '';
  const body = new URLSearchParams({ csrf, asset: address });
  const chosen = await fetch(location, { method: 'POST', redirect: 'manual', body });
  const end = chosen.headers.get('location');
  if (end === null) throw new Error(`the setup stopped at ${new URL(location).pathname}: ${chosen.status}`);
  return end;
}

interface DemoPerson {
  email: string;
  password: string;
}

/** Not secret: the demo's service listens on this machine only. */
const password = 'harbour bakery demo';

async function setPassword(
  service: string,
  operator: Record<string, string>,
  email: string,
): Promise<DemoPerson> {
  const link = textIn(await ask.post(`${service}/admin/v1/people/reset-link`, { email }, operator), 'link');
  const page = await fetch(link);
  const cookie = page.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await page.text())?.[1] ?? '';
  const token = new URL(link).searchParams.get('token') ?? '';
  const answer = await fetch(`${service}/portal/reset`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; ') },
    body: new URLSearchParams({ csrf, token, password }),
  });
  if (answer.status !== 302) throw new Error(`the demo's password could not be set: ${answer.status}`);
  return { email, password };
}
