import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPost } from '../../src/upstream/parse.ts';
import { makeUpstream } from '../../src/upstream/index.ts';
import type { UpstreamPlatform } from '../../src/upstream/index.ts';
import type { DialogSettings } from '../../src/upstream/kind.ts';
import { newSealer } from '../support/sealing.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { channelOf as plainChannelOf } from '../rules/samples.ts';
import { asset } from '../support/known.ts';
import { profiles } from '../support/profiles.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import type { Notice, UnparsedItem, ParsedPost, UpstreamFact } from '../../src/rules/messages/facts.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { listening } from '../support/ports.ts';

/** The time of receipt, which replaces a missing time. */
export const receivedAt = 1_767_300_000_000;

/** Runs all steps of the parser. */
function parsed(body: string): ParsedPost {
  const steps = readPost(Buffer.from(body), receivedAt);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The facts of a POST and the counts of items that became none; `leftOutOf` lists those items, `noticesOf` what they tell. */
type Said = Omit<ParsedPost, 'unparsed' | 'notices'>;

export function parseText(body: string): Said {
  const { unparsed: _, notices: __, ...said } = parsed(body);
  return said;
}

export function noticesOf(post: unknown): Notice[] {
  return parsed(JSON.stringify(post)).notices;
}

export function leftOutOf(post: unknown): UnparsedItem[] {
  return parsed(JSON.stringify(post)).unparsed;
}

export function parse(post: unknown): Said {
  return parseText(JSON.stringify(post));
}

/** The fact of a POST that has one item; throws for anything else in it. */
export function onlyFact(post: unknown): UpstreamFact {
  const { facts, malformed, ignored } = parse(post);
  const [fact, ...more] = facts;
  if (fact === undefined || more.length + malformed + ignored > 0)
    throw new Error(`not one fact: ${JSON.stringify({ facts, malformed, ignored })}`);
  return fact;
}

/** A POST about a business account. */
export const change = (field: string, value: unknown) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '311200000000001', changes: [{ field, value }] }],
});

export const appSecret = 'example-app-secret-0001';
export const token = 'EAAexampletoken';
/** Secrets and contents in the requests of the tests and in upstream's answers. */
export const secrets = /EAA|3d99fd9e|example-app-secret|AQB-very-secret|Your order/;
/** The test vector of upstream §1.3. */
export const proof = '3d99fd9efb3ff156ffc48294a442f8fa11152d80faea7a74a3e641f1c5354157';

export const sealer = newSealer();

export function channelOf(channelType: ChannelType, patch: Partial<Channel> = {}): Channel {
  return plainChannelOf(channelType, {
    identity: asset[channelType],
    profile: profiles[channelType],
    subscribedAsset: kindOf(channelType).subscribedAsset(profiles[channelType]),
    token: sealer.sealText(token, sealContext.token(`channel-${channelType}`)),
    ...patch,
  });
}

/** The fault that the work must reject with; throws if the fault contains a secret. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const thrown: unknown = await work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
  if (!(thrown instanceof Fault)) throw new Error(`no Fault: ${String(thrown)}`);
  if (secrets.test(JSON.stringify([thrown.message, thrown.detail])))
    throw new Error('the fault contains a secret');
  return thrown;
}

interface Received {
  method: string;
  /** The path without the version. */
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Reply = (received: Received, response: ServerResponse) => void;

export interface Scripted {
  url: string;
  received: Received[];
  /** Sets the replies, one per request, in this order; the last one is repeated. */
  script(...replies: Reply[]): void;
  close(): Promise<void>;
}

/** An upstream with scripted replies. */
export async function startScripted(): Promise<Scripted> {
  const received: Received[] = [];
  let replies: Reply[] = [];
  // So long that no client closes an idle connection between two sends, however busy the machine is.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://upstream');
      const one: Received = {
        method: request.method ?? '',
        path: url.pathname.replace('/v25.0', ''),
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      reply?.(one, response);
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    script(...given) {
      received.length = 0;
      replies = given;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const json =
  (body: unknown, status = 200): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
    response.end(JSON.stringify(body));
  };

export const raw =
  (body: string, status = 200): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(body);
  };

/** Replies by path, each list in its order with the last one repeated; a path without one is refused as unknown. */
export function byPath(routes: Record<string, Reply | Reply[]>): Reply {
  const left = new Map(Object.entries(routes).map(([path, replies]) => [path, [replies].flat()]));
  return (received, response) => {
    const replies = left.get(received.path) ?? [];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    (reply ?? json({ error: { message: 'Unknown path', code: 100, error_subcode: 33 } }, 400))(
      received,
      response,
    );
  };
}

const dialogSettings: Omit<DialogSettings, 'dialogUrl' | 'version' | 'appId'> = {
  signupConfigId: '880000000000001',
  pinSecret: appSecret,
  signupExtras: '{"version":"v4"}',
  pagesConfigId: null,
  pageScopes: ['pages_show_list', 'business_management'],
  photoScopes: ['instagram_basic', 'pages_show_list', 'business_management'],
};

/** `src/upstream` for this base URL, every line that it logs at any level, and the codes of sends of numbers that are not registered. */
export function adapterTo(
  url: string,
  clock: Clock = systemClock,
  given: Partial<DialogSettings> = {},
): { upstream: UpstreamPlatform; lines: string[]; unregistered: number[] } {
  const lines: string[] = [];
  const unregistered: number[] = [];
  const log = makeLog('debug', { write: (line) => lines.push(line) });
  const upstream = makeUpstream({
    url,
    dialogUrl: 'https://dialog.example',
    version: 'v25.0',
    appId: '700100200300400',
    appSecret,
    ...dialogSettings,
    ...given,
    baseUrl: 'https://svc.example/',
    verifyToken: 'verify-me',
    sealer,
    registrationRefused: ({ code }) => void unregistered.push(code),
    log,
    clock,
  });
  return { upstream, lines, unregistered };
}
