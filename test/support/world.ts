/** Service, simulator and receiver together; accounts, and channels that are connected by the real setup flow. */
import { Inbox } from './inbox.ts';
import { orClose } from './or-close.ts';
import { asset, person } from './known.ts';
import type { Answer } from './api.ts';
import { call } from './api.ts';
import { bootService, bootSimulator } from './service.ts';
import type { Service, Simulator } from './service.ts';
import { contractWorld, operate, untilRegistered } from './upstream-app.ts';

export type ChannelType = 'chatapp' | 'photoapp' | 'pagechat';

export { asset, person };

/** All event types that each channel type offers. */
export const eventsOf = {
  chatapp: [
    'message.received',
    'message.echo',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
  ],
  photoapp: ['message.received', 'message.echo', 'message.delivered', 'message.read'],
  pagechat: ['message.received', 'message.echo', 'message.delivered', 'message.read'],
} as const;

export interface Account {
  accountId: string;
  apiKeyId: string;
  key: string;
  subscriptionId: string;
}

export interface Channel {
  id: string;
  type: ChannelType;
  /** The asset's id upstream, as the simulator's control calls name the channel. */
  upstream: string;
  webhookSecret: string;
  key: string;
}

let accounts = 0;

/** Creates an account with one subscription and one API key through the admin interface. */
export async function newAccount(service: Service, tier: 'starter' | 'pro' = 'pro'): Promise<Account> {
  accounts += 1;
  const answer = await service.admin('POST', '/accounts', {
    email: `a${accounts}-${process.pid}@example.com`,
    tier,
  });
  if (answer.status !== 201) throw new Error(`no account: ${answer.status} ${answer.text}`);
  const {
    account_id: accountId,
    api_key_id: apiKeyId,
    api_key: key,
    subscription_id: subscriptionId,
  } = answer.body;
  return { accountId, apiKeyId, key, subscriptionId };
}

interface ConnectOptions {
  /** The asset's id; the one of `asset` unless given. */
  upstream?: string;
  /** The inbox unless given; null: no webhook URL. */
  webhookUrl?: string | null;
  /** The event types; all of the channel type unless given. */
  events?: readonly string[];
}

/** Adds a redirect pattern, walks setup URL → dialog → callback for this asset, and returns the one-time code. */
export async function setupCode(
  service: Service,
  simulator: Simulator,
  key: string,
  type: ChannelType,
  upstream: string,
): Promise<string> {
  await service.call('POST', '/api/v1/redirects', {
    key,
    body: { uri_pattern: 'https://app.example.com/*' },
  });
  await simulator.control('dialog', { auto: 'allow', assets: [upstream], times: 1 });
  const started = await service.call('POST', '/api/v1/channels/setup-url', {
    key,
    body: { channel_type: type, redirect_uri: 'https://app.example.com/done' },
  });
  if (started.status !== 200) throw new Error(`setup-url answered ${started.status}: ${started.text}`);
  const end = await follow(started.body.setup_url, 'https://app.example.com/done', upstream);
  const code = end.searchParams.get('code');
  if (code === null) throw new Error(`the setup ended without a code: ${end.search}`);
  return code;
}

/**
 * Follows redirects as a browser does, until one leads to `home`; returns that URL. Asked which of several assets to connect, it takes
 * `wanted`, else the preselected one.
 */
export async function follow(from: string, home: string, wanted?: string): Promise<URL> {
  let location = from;
  for (let step = 0; step < 10 && !location.startsWith(home); step += 1) {
    const answer: Answer = await call('GET', location);
    const next = answer.headers.get('location') ?? (await chosen(location, answer, wanted));
    if (next === null)
      throw new Error(`no redirect at ${new URL(location).pathname}: ${answer.status} ${answer.text}`);
    location = next;
  }
  return new URL(location);
}

/** On the page that asks which of several assets to connect, submits one; null if it is another page. */
async function chosen(location: string, { text }: Answer, wanted = ''): Promise<string | null> {
  const offered = [...text.matchAll(/name="asset" value="([^"]+)"/g)].map(([, id]) => id ?? '');
  const [first] = offered;
  const identity = offered.includes(wanted) ? wanted : first;
  return identity === undefined ? null : (await choose(location, identity)).headers.get('location');
}

/** Submits the page that asks which asset to connect. */
export function choose(location: string, identity: string): Promise<Answer> {
  const csrf = new URL(location).searchParams.get('state') ?? '';
  return call('POST', location, {
    raw: new URLSearchParams({ csrf, asset: identity }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export class World {
  readonly service: Service;
  readonly simulator: Simulator;
  readonly inbox: Inbox;
  /** The service registers the app by itself, and its channels wait for it. */
  isRegistering = false;
  readonly registered = new Set<ChannelType>();

  constructor(service: Service, simulator: Simulator, inbox: Inbox) {
    this.service = service;
    this.simulator = simulator;
    this.inbox = inbox;
  }

  /** Starts a service in this process with these settings over the defaults, a simulator and an inbox. */
  static async open(overrides: Record<string, string> = {}, upstream = contractWorld): Promise<World> {
    const simulator = await bootSimulator(upstream);
    const service = await orClose(bootService(simulator.url, overrides), () => simulator.stop());
    return orClose(World.of(service, simulator), async () => {
      await service.stop();
      await simulator.stop();
    });
  }

  /** A world of parts that run already: the simulator posts to this service from now on. */
  static async of(service: Service, simulator: Simulator, inbox?: Inbox): Promise<World> {
    await operate(simulator, service);
    const world = new World(service, simulator, inbox ?? (await Inbox.open()));
    world.isRegistering = true;
    return world;
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.simulator.stop();
    await this.inbox.close();
  }

  /** Connects a channel of this account by the setup flow and the code exchange. */
  async connect(
    account: Pick<Account, 'key'>,
    type: ChannelType,
    options: ConnectOptions = {},
  ): Promise<Channel> {
    const upstream = options.upstream ?? asset[type];
    const code = await setupCode(this.service, this.simulator, account.key, type, upstream);
    const webhookUrl = options.webhookUrl === undefined ? this.inbox.url : options.webhookUrl;
    const answer = await this.service.call('POST', '/api/v1/channels/exchange-code', {
      key: account.key,
      body: {
        code,
        ...(webhookUrl === null ? {} : { webhook_url: webhookUrl }),
        webhook_events: options.events ?? eventsOf[type],
      },
    });
    if (answer.status !== 200) throw new Error(`exchange-code answered ${answer.status}: ${answer.text}`);
    await this.untilRegistered(type);
    return {
      id: answer.body.channel_id,
      type,
      upstream,
      webhookSecret: answer.body.webhook_secret,
      key: account.key,
    };
  }

  async untilRegistered(type: ChannelType): Promise<void> {
    if (!this.isRegistering || this.registered.has(type)) return;
    await untilRegistered(this.simulator, type);
    this.registered.add(type);
  }

  /** A new account with one connected channel of this type. */
  async connected(
    type: ChannelType,
    options: ConnectOptions & { tier?: 'starter' | 'pro' } = {},
  ): Promise<Channel> {
    return this.connect(await newAccount(this.service, options.tier ?? 'pro'), type, options);
  }

  /** Sends a text through the API. */
  send(channel: Channel, text: string, recipient: string = person[channel.type]): Promise<Answer> {
    return this.service.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient, text },
    });
  }

  /** Makes a person write to the channel; returns the simulator's answer. */
  write(
    channel: Pick<Channel, 'upstream' | 'type'>,
    message: Record<string, unknown>,
    from: string = person[channel.type],
    // oxlint-disable-next-line typescript/no-explicit-any
  ): Promise<any> {
    return this.simulator.control('people/write', { channel: channel.upstream, from, ...message });
  }

  /** Makes a person read all messages of the channel. */
  read(channel: Channel, from: string = person[channel.type]): Promise<unknown> {
    return this.simulator.control('people/read', { channel: channel.upstream, from });
  }
}
