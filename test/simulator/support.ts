import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { SimulatorOptions } from '../../src/simulator/server.ts';
import { builtSimulator } from '../support/built.ts';
import { listening } from '../support/ports.ts';

export const appId = '700100200300400';
export const appSecret = 'example-app-secret-0001';
export const appToken = `${appId}|${appSecret}`;
export const waba = '311200000000001';
export const wabaToken = `EAAbusiness-${waba}`;
export const phone = '422300000000002';
export const dualPhone = '422300000000012';
export const page = '520000000000005';
export const pageToken = `EAApage-${page}`;
export const photo = '17840000000000006';
export const mia = { phone: '4915900000777', psid: '8800000000000001', igsid: '9900000000000007' };

/** A member of any JSON value, without casts: `at(body, 'error', 'code')`; undefined if it is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    return new Map<string, unknown>(Object.entries(inner)).get(String(name));
  }, value);
}

/** The member as text; throws if it is not a string. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`${path.join('.')} is no text in ${JSON.stringify(value)}`);
  return found;
}

export type Reply = {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
};

/** HTTP status, error code and subcode of a reply. */
export function codesOf({ status, body }: Reply): unknown[] {
  return [status, at(body, 'error', 'code'), at(body, 'error', 'error_subcode')];
}

/** The code on the redirect of a dialog. */
export function codeIn(reply: Reply): string {
  const target = reply.headers.get('location') ?? 'nowhere:';
  return new URL(target).searchParams.get('code') ?? '';
}

type Ask = {
  readonly token?: string;
  readonly body?: unknown;
  readonly form?: Record<string, string>;
};

/** One HTTP call; `body` is undefined unless it is JSON. Redirects are not followed. */
export async function call(method: string, url: string, ask: Ask = {}): Promise<Reply> {
  const headers: Record<string, string> = {};
  if (ask.token !== undefined) headers.authorization = `Bearer ${ask.token}`;
  if (ask.body !== undefined) headers['content-type'] = 'application/json';
  const body = ask.form
    ? new URLSearchParams(ask.form)
    : ask.body === undefined
      ? null
      : JSON.stringify(ask.body);
  const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
  const text = await answer.text();
  return { status: answer.status, body: parsed(text), text, headers: answer.headers };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly raw: string;
  readonly body: unknown;
  readonly path: string;
};

/** A webhook receiver that stores every POST and answers with scripted statuses. */
class Inbox {
  readonly received: Received[] = [];
  /** Statuses of the next answers; 200 when used up. */
  readonly answers: number[] = [];
  url = '';
  readonly #server: Server;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor() {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const challenge = new URL(req.url ?? '/', 'http://inbox.invalid').searchParams.get('hub.challenge');
        if (req.method === 'GET') {
          res.end(challenge ?? '');
          return;
        }
        const raw = Buffer.concat(chunks).toString('latin1');
        const { headers, rawHeaders, url: path = '' } = req;
        this.received.push({ headers, rawHeaders, raw, body: parsed(raw), path });
        res.statusCode = this.answers.shift() ?? 200;
        res.end();
        this.#wake();
      });
    });
  }

  async open(): Promise<void> {
    this.url = `http://127.0.0.1:${await listening(this.#server)}/hooks`;
  }

  /** Resolves with everything received once there are `count` POSTs; after 8 s rejects with what was received. */
  async first(count: number): Promise<readonly Received[]> {
    if (this.received.length < count) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(
              new Error(
                `waited for ${count} webhooks, got ${this.received.map(({ raw }) => raw).join('\n')}`,
              ),
            ),
          8_000,
        );
        this.#waiting.push({
          count,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    }
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #wake(): void {
    for (const waiting of this.#waiting) if (this.received.length >= waiting.count) waiting.resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.received.length);
  }
}

const appWebhooks = {
  page: 'messages,message_echoes,message_deliveries,message_reads,message_reactions,messaging_postbacks',
  instagram: 'messages,messaging_seen,message_reactions,messaging_postbacks',
  whatsapp_business_account: 'messages,account_update',
};

/** Where the dialogs of these tests return to. */
export const redirect = 'http://127.0.0.1:9/back';
/** The person to whom the first business belongs. */
export const ada = '1010000000000008';

/** A simulator with an inbox; `afterEach` must close it. */
export class Stage {
  readonly inbox: Inbox;
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(inbox: Inbox, url: string, close: () => Promise<void>) {
    this.inbox = inbox;
    this.url = url;
    this.#close = close;
  }

  static async open(options: SimulatorOptions = {}): Promise<Stage> {
    const inbox = new Inbox();
    await inbox.open();
    const settings = { status_delay_ms: 0, ...options.settings };
    const { startSimulator } = await builtSimulator();
    // What the platform refuses has tests of its own, strict-*.test.ts.
    const simulator = await startSimulator({ profile: 'lax', callbackUrl: inbox.url, ...options, settings });
    return new Stage(inbox, simulator.url, simulator.close);
  }

  /** A strict world in which a service works: app registered and published, and Mia wrote to number, page and account. */
  static async openStrict(): Promise<Stage> {
    const stage = await Stage.open({ profile: 'strict' });
    await stage.publish();
    await stage.control('settings', {
      app_features: ['business_asset_user_profile_access'],
      redirect_uris: [redirect],
    });
    await stage.register();
    const written = { [phone]: mia.phone, [page]: mia.psid, [photo]: mia.igsid };
    for (const [channel, from] of Object.entries(written))
      await stage.control('people/write', { channel, from, text: 'Hello' });
    return stage;
  }

  graph(method: string, path: string, ask: Ask = {}): Promise<Reply> {
    return call(method, `${this.url}/v25.0${path}`, ask);
  }

  async control(path: string, body: unknown = {}): Promise<unknown> {
    const reply = await call('POST', `${this.url}/control/${path}`, { body });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    return reply.body;
  }

  async look(path: string): Promise<unknown> {
    return (await call('GET', `${this.url}/control/${path}`)).body;
  }

  /** Opens the dialog; `more` are its parameters beside app and redirect. */
  dialog(more: Record<string, string>): Promise<Reply> {
    const common = { client_id: appId, redirect_uri: redirect, state: 's', response_type: 'code' };
    return this.graph('GET', `/dialog/oauth?${new URLSearchParams({ ...common, ...more }).toString()}`);
  }

  exchange(more: Record<string, string>): Promise<Reply> {
    const common = { client_id: appId, client_secret: appSecret };
    return this.graph('GET', `/oauth/access_token?${new URLSearchParams({ ...common, ...more }).toString()}`);
  }

  /** The token of a dialog that is answered at once. */
  async grant(more: Record<string, string>): Promise<string> {
    const code = codeIn(await this.dialog({ auto: 'allow', ...more }));
    return textAt((await this.exchange({ code, redirect_uri: redirect })).body, 'access_token');
  }

  /** Registers the app's webhooks, as a service does at its start. */
  async register(objects: Readonly<Record<string, string>> = appWebhooks): Promise<void> {
    for (const [object, fields] of Object.entries(objects))
      await this.control('app/webhooks', { object, fields, callback_url: this.inbox.url });
  }

  /** The app is published, and review has granted Advanced Access. */
  async publish(): Promise<void> {
    await this.control('settings', { app_published: true, app_access: 'advanced' });
  }

  /** Subscribes the first business account and its first page to everything. */
  async subscribe(): Promise<void> {
    const fields =
      'messages,message_echoes,message_deliveries,message_reads,message_reactions,messaging_postbacks';
    await this.graph('POST', `/${waba}/subscribed_apps`, { token: wabaToken });
    await this.graph('POST', `/${page}/subscribed_apps?subscribed_fields=${fields}`, { token: pageToken });
  }

  sendChatapp(text: string, more: Record<string, unknown> = {}): Promise<Reply> {
    const body = {
      messaging_product: 'whatsapp',
      to: `+${mia.phone}`,
      type: 'text',
      text: { body: text },
      ...more,
    };
    return this.graph('POST', `/${phone}/messages`, { token: wabaToken, body });
  }

  sendPage(
    recipient: string,
    message: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<Reply> {
    const body = { recipient: { id: recipient }, messaging_type: 'RESPONSE', message, ...more };
    return this.graph('POST', `/${page}/messages`, { token: pageToken, body });
  }

  close(): Promise<void> {
    return Promise.all([this.#close(), this.inbox.close()]).then(() => undefined);
  }
}

/** The signature that a receiver computes over the raw bytes. */
export function signatureOf(raw: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(Buffer.from(raw, 'latin1')).digest('hex')}`;
}
