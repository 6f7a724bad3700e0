/**
 * What the portal's page runs, as text: served inline under a policy that names its digest. It is a client of the public API
 * like any other: everything on it comes from `/api/v1` with the key that was typed in, and is put on the page as text, never
 * as markup. The key stays in its field. Live events speak socket.io's own protocol over a plain WebSocket.
 */
export const homeScript = String.raw`
'use strict';
const $ = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};
const say = (text) => { $('notice').textContent = text; };
const problem = (detail) => typeof detail === 'string' ? detail
  : Array.isArray(detail) ? detail.map((field) => field.loc.join('.') + ': ' + field.msg).join('; ') : detail && detail.message;
const api = async (method, path, body) => {
  const response = await fetch('/api/v1' + path, { method,
    headers: { 'X-API-Key': $('key').value.trim(), ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : undefined });
  const answer = await response.json();
  if (!response.ok) throw new Error(problem(answer.detail) || 'Error ' + response.status);
  return answer;
};
const act = (work) => async (event) => {
  if (event) event.preventDefault();
  say('');
  try { await work(event); } catch (error) { say(error.message); }
};
const table = (heads, rows, empty) => rows.length === 0 ? make('p', { class: 'dim' }, empty)
  : make('table', {}, make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', {}, head)))),
    make('tbody', {}, ...rows.map((cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell === null ? '–' : cell))))));
const day = (text) => text === null ? 'no end' : text.slice(0, 10);
const channelRow = (channel) => [channel.channel_type, channel.name, channel.phone_number || channel.photoapp_username || channel.page_id,
  channel.is_active ? 'active' : 'inactive', channel.subscription.status + (channel.subscription.tier ? ' (' + channel.subscription.tier + ')' : ''),
  channel.webhook_url, make('code', {}, channel.id)];
const licenceRow = (licence) => [licence.tier, licence.source, licence.status, day(licence.expires_at),
  Object.values(licence.assigned_channels).filter(Boolean).map((channel) => channel.name || channel.channel_type).join(', ') || 'none'];
const redirectRow = (redirect) => [make('code', {}, redirect.uri_pattern),
  make('button', { type: 'button', onclick: act(async () => { await api('DELETE', '/redirects/' + redirect.id); await load(); }) }, 'Remove')];
const load = async () => {
  const [channels, licences, redirects] = await Promise.all([api('GET', '/channels'), api('GET', '/subscriptions'), api('GET', '/redirects')]);
  $('channels').replaceChildren(table(['Type', 'Name', 'Address', 'State', 'Licence', 'Webhook', 'Id'], channels.channels.map(channelRow), 'No channel is connected yet.'));
  $('licences').replaceChildren(table(['Tier', 'Source', 'Status', 'Until', 'Channels'], licences.subscriptions.map(licenceRow), 'No licence.'));
  $('redirects').replaceChildren(table(['Pattern', ''], redirects.redirects.map(redirectRow), 'No redirect address is allowed yet.'));
  $('account').hidden = false;
};
let socket;
const showEvent = (envelope) => {
  const { event, channel_type: type, timestamp, data } = envelope;
  $('events').prepend(make('details', {}, make('summary', {}, timestamp.slice(11, 23) + '  ' + type + '  ' + event), make('pre', {}, JSON.stringify(data, null, 2))));
  while ($('events').childElementCount > 200) $('events').lastElementChild.remove();
};
const follow = () => {
  if (socket) socket.close();
  socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/live/socket.io/?EIO=4&transport=websocket');
  const mine = socket;
  const state = (text) => { if (mine === socket) $('live').textContent = text; };
  state('connecting …');
  socket.onmessage = ({ data }) => {
    if (data[0] === '0') mine.send('40/live,' + JSON.stringify({ apiKey: $('key').value.trim() }));
    else if (data === '2') mine.send('3');
    else if (data.startsWith('40/live')) state('connected');
    else if (data.startsWith('44/live')) state('refused');
    else if (data.startsWith('42/live,')) showEvent(JSON.parse(data.slice(8))[1]);
  };
  socket.onclose = () => state('not connected');
};
$('sign-in').addEventListener('submit', act(async () => { await load(); follow(); }));
$('add-redirect').addEventListener('submit', act(async () => {
  await api('POST', '/redirects', { uri_pattern: $('pattern').value.trim() });
  $('pattern').value = '';
  await load();
}));
$('connect').addEventListener('submit', act(async () => {
  const answer = await api('POST', '/channels/setup-url', { channel_type: $('type').value, redirect_uri: $('redirect-uri').value.trim() });
  $('setup').replaceChildren(make('a', { href: answer.setup_url, target: '_blank', rel: 'noopener' }, 'Open the setup'), ' (valid until ' + answer.expires_at.slice(11, 16) + ' UTC)');
}));
$('send').addEventListener('submit', act(async () => {
  const answer = await api('POST', '/messages/send', { channel_id: $('channel-id').value.trim(), recipient: $('recipient').value.trim(), text: $('text').value });
  $('sent').textContent = answer.success ? answer.status + ' · ' + answer.message_id : answer.error;
}));
`;
