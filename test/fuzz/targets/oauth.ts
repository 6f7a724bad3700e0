/** Upstream's answers while a person connects a channel, and to every other call except for sends. [upstream §1.1, §2, §6, §7] */
import { createServer } from 'node:http';
import {
  sampleAccounts,
  sampleInspection,
  sampleNumbers,
  sampleToken,
} from '../../upstream/samples/connecting.ts';
import { PermissionsDeclined } from '../../../src/upstream/connecting-calls.ts';
import { Fault } from '../../../src/kernel/faults.ts';
import { listening } from '../../support/ports.ts';
import { adapterTo, channelOf } from '../../upstream/support.ts';
import type { Target } from '../target.ts';

const error = {
  error: { message: 'No', type: 'OAuthException', code: 190, error_subcode: 463, fbtrace_id: 'A' },
};
const template = {
  id: '900000000000091',
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Dear {{1}}' }],
  quality_score: { score: 'GREEN' },
};
const subscribed = { data: [{ id: '700100200300400', name: 'App', subscribed_fields: ['messages'] }] };
const ofNumber = { id: '4', quality_rating: 'GREEN', platform_type: 'CLOUD_API', is_on_biz_app: true };
const person = {
  id: '88',
  first_name: 'Mia',
  profile_pic: 'https://x/',
  follower_count: 3,
  is_verified_user: true,
};

/**
 * An input is a list of answers, given in turn, the last one repeatedly; or, if it is no list, the bytes of every answer.
 */
export async function openOAuth(): Promise<Target> {
  let answers: string[] = [''];
  const server = createServer((request, response) => {
    request.resume();
    const text = (answers.length > 1 ? answers.shift() : answers[0]) ?? '';
    response.writeHead(text.includes('"error"') ? 400 : 200, { 'content-type': 'application/json' });
    response.end(text);
  });
  const { upstream, lines } = adapterTo(`http://127.0.0.1:${await listening(server)}`);
  const [page, photo, number] = [channelOf('pagechat'), channelOf('photoapp'), channelOf('chatapp')];
  const asked = { code: 'AQB-very-secret-code', redirectUri: 'https://svc.example/setup/callback' };
  const calls: (() => Promise<unknown>)[] = [
    ...(['chatapp', 'photoapp', 'pagechat'] as const).map(
      (channelType) => () => upstream.admin.readAssets({ channelType, ...asked }),
    ),
    () => upstream.admin.isTokenRefused(page),
    () => upstream.admin.subscribe(number),
    () => upstream.admin.unsubscribe(photo),
    () => upstream.profiles.readProfile(page, '88'),
    () => upstream.health.probe(number),
    () => upstream.templates.list(number),
  ];
  return {
    seeds: [
      [sampleToken, sampleInspection, sampleNumbers],
      [sampleToken, sampleInspection, sampleAccounts],
      [sampleToken, sampleAccounts],
      [error],
      [{ ...error, is_transient: true }],
      [subscribed, ofNumber],
      [{ data: [{ whatsapp_business_api_data: { id: '1' } }] }],
      [person],
      [{ data: [template], paging: { cursors: { after: 'A' }, next: 'https://x/' } }, { data: [template] }],
      [{ success: true }],
      [{ data: { app_id: '1', is_valid: false, scopes: [], granular_scopes: [] } }],
    ].map((answer) => JSON.stringify(answer)),
    maxBytes: 60_000,
    async run(input) {
      const given = answersIn(input);
      const said: string[] = [];
      for (const work of calls) {
        answers = [...given];
        said.push(await outcomeOf(work()));
      }
      if (/EAAexampletoken|AQB-very-secret|example-app-secret/.test(lines.splice(0).join('')))
        throw new Error('a secret is logged');
      return said.join();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await upstream.close();
    },
  };
}

function answersIn(input: Buffer): string[] {
  try {
    const value: unknown = JSON.parse(input.toString());
    if (Array.isArray(value) && value.length > 0) return value.map((answer) => JSON.stringify(answer));
  } catch {
    // Not JSON: the bytes are the answer.
  }
  return [input.toString('latin1')];
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    const value = await work;
    return Array.isArray(value) ? `list ${Math.min(3, value.length)}` : typeof value;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.code;
    if (thrown instanceof PermissionsDeclined) return 'declined';
    throw thrown;
  }
}
