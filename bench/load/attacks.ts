/**
 * The attacks of test/hostile as loads. The tests check that nothing is lost and that other clients are served; this bench measures the
 * longest turn.
 */
import net from 'node:net';
import { call } from '../../test/support/api.ts';
import type { BenchChannel } from '../world/channels.ts';
import { signed } from './upstream-posts.ts';

interface Victim {
  url: string;
  channel: BenchChannel;
  /** Phone numbers of the other channels. */
  phones: readonly string[];
}

interface Attack {
  name: string;
  run: (victim: Victim) => Promise<unknown>;
}

const many = <T>(count: number, one: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => one(n));

function post(name: string, bodyOf: (victim: Victim) => string): Attack {
  return {
    name,
    run: (victim) => {
      const raw = bodyOf(victim);
      const headers = { 'content-type': 'application/json', ...signed(raw) };
      return call('POST', `${victim.url}/upstream/webhooks`, { raw, headers });
    },
  };
}

function ask(name: string, method: string, path: string, raw?: string): Attack {
  return {
    name,
    run: ({ url, channel: { key } }) =>
      call(method, url + path, {
        ...(raw === undefined ? {} : { raw }),
        headers: { 'content-type': 'application/json', 'x-api-key': key },
      }),
  };
}

/** Writes all requests of each of 12 connections at once; ends when the service has closed the connection or has answered enough. */
function pipelined(name: string, requests: (connection: number) => string): Attack {
  const one = async ({ url }: Victim, connection: number): Promise<void> => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.end(requests(connection));
    await new Promise((resolve) => socket.once('close', resolve));
  };
  return { name, run: (victim) => Promise.all(many(12, (n) => one(victim, n))) };
}

const change = (phone: string, value: object): object => ({
  id: '1',
  changes: [{ field: 'messages', value: { metadata: { phone_number_id: phone }, ...value } }],
});
const posted = (...entry: object[]): string => JSON.stringify({ object: 'whatsapp_business_account', entry });
const text = (id: string, from: string): object => ({ id, from, type: 'text', text: { body: 'a' } });
const get = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;

/** [faults: 67, 68, 94, 95, 97, 99] */
export const attacks: readonly Attack[] = [
  post('10,000 messages and 50,000 contacts in one post', ({ channel: { phone } }) =>
    posted(
      change(phone, {
        contacts: many(50_000, (n) => ({ wa_id: `x${n}`, profile: { name: 'a' } })),
        messages: many(10_000, (n) => text(`f.${n}`, `49${n}`)),
      }),
    ),
  ),
  post('20,000 receipts of messages that nobody sent', ({ channel: { phone } }) =>
    posted(
      change(phone, {
        statuses: many(20_000, (n) => ({
          id: `s.${n}`,
          recipient_id: `49${n}`,
          status: 'read',
          timestamp: '1767225600',
        })),
      }),
    ),
  ),
  post('a message for each of 10,000 channels in one post', ({ phones }) =>
    posted(...phones.map((phone, n) => change(phone, { messages: [text(`c.${n}`, '49')] }))),
  ),
  post('a message for each of 10,000 numbers of nobody', () =>
    posted(...many(10_000, (n) => change(`9${n}`, { messages: [text(`n.${n}`, '49')] }))),
  ),
  post('a post of a million numbers', () => `{"object":"page","entry":[${'1,'.repeat(1_000_000)}1]}`),
  post('a post of 300,000 members', () => {
    const members = many(300_000, (n) => `"${n.toString(36)}":1`).join(',');
    return `{"object":"page","entry":[{"id":"1",${members}}]}`;
  }),
  post('a post nested 1,400,000 deep', () => '['.repeat(1_400_000) + ']'.repeat(1_400_000)),
  ask('a body nested 500,000 deep', 'POST', '/api/v1/messages/send', '['.repeat(500_000)),
  ask(
    'a body of 90,000 keys',
    'POST',
    '/api/v1/messages/send',
    `{${many(90_000, (n) => `"k${n}":1`).join(',')}}`,
  ),
  ask(
    'a pattern of a million stars',
    'POST',
    '/api/v1/redirects',
    `{"uri_pattern":"https://${'*'.repeat(1_000_000)}"}`,
  ),
  ask('the list of 10,000 channels', 'GET', '/api/v1/channels'),
  ask('the list of 10,000 licences', 'GET', '/api/v1/subscriptions'),
  pipelined('12,000 wrong keys pipelined over 12 connections', (connection) =>
    many(1_000, (n) =>
      get('/api/v1/redirects', `mip_live_${String(connection * 1_000 + n).padStart(43, 'w')}`),
    ).join(''),
  ),
  pipelined('24,000 requests pipelined over 12 connections', () => get('/healthz', 'none').repeat(2_000)),
  {
    name: '1,000 keyless handshakes of the live feed',
    run: async ({ url }) => {
      const path = `${url}/live/socket.io/?EIO=4&transport=polling`;
      for (let n = 0; n < 20; n += 1) await Promise.all(many(50, () => call('GET', path)));
    },
  },
];
