/** The portal's page: a client of the public API like any other. */
import { api } from './api.ts';
import type { Channel, Redirect, Subscription } from './api.ts';
import { byId, field, make, messageOf } from './dom.ts';
import { follow } from './live.ts';

type Cell = Node | string | null;

const say = (text: string): void => {
  byId('notice').textContent = text;
};

/** What a form or button does; what goes wrong is said on the page. */
function act(work: () => Promise<void>): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    say('');
    work().catch((error: unknown) => say(messageOf(error)));
  };
}

function table(heads: string[], rows: Cell[][], empty: string): HTMLElement {
  if (rows.length === 0) return make('p', { class: 'dim' }, empty);
  const head = make('tr', {}, ...heads.map((text) => make('th', {}, text)));
  const body = rows.map((cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell ?? '–'))));
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...body));
}

function channelRow(channel: Channel): Cell[] {
  const { status, tier } = channel.subscription;
  return [
    channel.channel_type,
    channel.name,
    channel.phone_number ?? channel.photoapp_username ?? channel.page_id,
    channel.is_active ? 'active' : 'inactive',
    tier === null ? status : `${status} (${tier})`,
    channel.webhook_url,
    make('code', {}, channel.id),
  ];
}

function licenceRow(licence: Subscription): Cell[] {
  const channels = Object.values(licence.assigned_channels).filter((channel) => channel !== null);
  return [
    licence.tier,
    licence.source,
    licence.status,
    licence.expires_at?.slice(0, 10) ?? 'no end',
    channels.map((channel) => channel.name ?? channel.channel_type).join(', ') || 'none',
  ];
}

function redirectRow(redirect: Redirect): Cell[] {
  const remove = act(async () => {
    await api('DELETE', `/redirects/${redirect.id}`);
    await load();
  });
  return [
    make('code', {}, redirect.uri_pattern),
    make('button', { type: 'button', onclick: remove }, 'Remove'),
  ];
}

async function load(): Promise<void> {
  const [{ channels }, { subscriptions }, { redirects }] = await Promise.all([
    api<{ channels: Channel[] }>('GET', '/channels'),
    api<{ subscriptions: Subscription[] }>('GET', '/subscriptions'),
    api<{ redirects: Redirect[] }>('GET', '/redirects'),
  ]);
  const channelHeads = ['Type', 'Name', 'Address', 'State', 'Licence', 'Webhook', 'Id'];
  byId('channels').replaceChildren(
    table(channelHeads, channels.map(channelRow), 'No channel is connected yet.'),
  );
  const licenceHeads = ['Tier', 'Source', 'Status', 'Until', 'Channels'];
  byId('licences').replaceChildren(table(licenceHeads, subscriptions.map(licenceRow), 'No licence.'));
  const noRedirect = 'No redirect address is allowed yet.';
  byId('redirects').replaceChildren(table(['Pattern', ''], redirects.map(redirectRow), noRedirect));
  byId('account').hidden = false;
}

async function addRedirect(): Promise<void> {
  await api('POST', '/redirects', { uri_pattern: field('pattern').value.trim() });
  field('pattern').value = '';
  await load();
}

async function connect(): Promise<void> {
  const asked = { channel_type: field('type').value, redirect_uri: field('redirect-uri').value.trim() };
  const answer = await api<{ setup_url: string; expires_at: string }>('POST', '/channels/setup-url', asked);
  const link = make('a', { href: answer.setup_url, target: '_blank', rel: 'noopener' }, 'Open the setup');
  byId('setup').replaceChildren(link, ` (valid until ${answer.expires_at.slice(11, 16)} UTC)`);
}

async function send(): Promise<void> {
  const answer = await api<{ success: boolean; status: string; message_id: string; error: string | null }>(
    'POST',
    '/messages/send',
    {
      channel_id: field('channel-id').value.trim(),
      recipient: field('recipient').value.trim(),
      text: field('text').value,
    },
  );
  byId('sent').textContent = answer.success ? `${answer.status} · ${answer.message_id}` : answer.error;
}

const signIn = act(async () => {
  await load();
  follow();
});
byId('sign-in').addEventListener('submit', signIn);
byId('add-redirect').addEventListener('submit', act(addRedirect));
byId('connect').addEventListener('submit', act(connect));
byId('send').addEventListener('submit', act(send));
