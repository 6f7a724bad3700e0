/** `npm run listen -- --key K --forward-to URL`: forwards the live events of the key's account like real deliveries. */
import { parseArgs } from 'node:util';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { readEnvironment } from '../../config/env-file.ts';
import { livePath } from '../features/live/subscribers.ts';
import { haveAddressPatience } from '../kernel/address-patience.ts';
import { asError } from '../kernel/faults.ts';
import { onStopSignals } from '../kernel/stop-signals.ts';
import { noNetworks } from '../rules/address.ts';
import { webhookTargetProblem } from '../rules/webhooks/url.ts';
import { textIn } from '../kernel/json.ts';
import { makeForwarder } from './listen/forwarder.ts';
import type { Forwarder } from './listen/forwarder.ts';
import { FeedPosition } from './listen/feed-position.ts';
import { startedAs } from './started-as.ts';

const usage = `Usage: ${startedAs('listen')} --key KEY --forward-to URL [--url http://localhost:3000]

  --key         API key of the account whose events are forwarded; default: the variable TRUNKLINE_API_KEY, which does not
                appear in process lists
  --forward-to  URL to which each event is POSTed; http: and localhost are allowed
  --url         address of the service

Each event has the X-Webhook-Id and the signature of its delivery: verify it with the webhook_secret of the channel.
`;

interface Options {
  key: string;
  forwardTo: string;
  service: string;
}

const asksForHelp = (args: readonly string[]): boolean => args.some((arg) => ['--help', '-h'].includes(arg));

/** A sentence for the person at the terminal; the exit code is 2 for wrong usage, 1 for a failure outside the program. */
class ListenError extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      key: { type: 'string' },
      'forward-to': { type: 'string' },
      url: { type: 'string', default: 'http://localhost:3000' },
    },
  });
  const { key = readEnvironment().env['TRUNKLINE_API_KEY'], 'forward-to': forwardTo, url: service } = values;
  if (key === undefined || forwardTo === undefined) throw new ListenError(2, usage);
  const problem = webhookTargetProblem(forwardTo, { allowInsecure: true, allowedNetworks: noNetworks });
  if (problem !== null) throw new ListenError(2, problem.replace('webhook_url', '--forward-to'));
  if (!/^https?:\/\//.test(service) || !URL.canParse(service)) {
    throw new ListenError(2, '--url must be an http: or https: URL');
  }
  return { key, forwardTo, service: service.replace(/\/+$/, '') };
}

const connectAgainMs = 1_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Resolves at Ctrl-C, rejects with ListenError when the service refuses the connection or ends it. */
function listen({ key, service, forwardTo }: Options, forwarder: Forwarder): Promise<void> {
  const place = new FeedPosition();
  const { origin, pathname } = new URL(service);
  const feed = io(`${origin}/live`, {
    path: `${pathname.replace(/\/+$/, '')}${livePath}`,
    // One connection needs no balancer that sends several requests to one node.
    transports: ['websocket'],
    auth: (give) => give({ apiKey: key, ...(place.since === null ? {} : { since: place.since }) }),
  });
  let wasConnected = false;
  const ended = new Promise<void>((resolve, reject) => {
    feed.once('connect', () => {
      wasConnected = true;
      say(`Connected to ${service}; events are forwarded to ${forwardTo}. Stop with Ctrl-C.`);
    });
    feed.on('disconnect', (reason) => {
      place.lost();
      if (reason === 'io server disconnect') reject(new ListenError(1, 'The API key was revoked.'));
      else if (reason !== 'io client disconnect') say('Connection lost; reconnecting.');
    });
    feed.on('connect_error', (error) => {
      const code = readCode(error);
      // Without a code nobody answered; after the first connection the client reconnects by itself.
      if (wasConnected && code === null) return;
      if (wasConnected && isTemporary(code)) connectAgain(feed);
      else reject(explainRefusal(code, error, service));
    });
    onStopSignals({ stop: () => resolve() });
  });
  follow(feed, place, forwarder);
  return ended.finally(() => feed.disconnect());
}

const isTemporary = (code: string | null): boolean => code === 'unavailable' || code === 'too_many';

/** After a refusal the client does not come back by itself, as it does after a loss. [faults: 538] */
function connectAgain(feed: Socket): void {
  setTimeout(() => feed.connect(), connectAgainMs);
}

/** Handles each event once: forwards it with its content, or prints a line if the content is erased. */
function follow(feed: Socket, place: FeedPosition, forwarder: Forwarder): void {
  let missed: { again: number; ended: number } | null = null;
  feed.on('catching_up', ({ since }: { since: string }) => {
    missed = { again: 0, ended: 0 };
    place.catchingUp(since);
  });
  feed.on('event', (envelope: unknown, delivery: unknown) => {
    if (!place.isNew(textIn(delivery, 'webhook_id') ?? '', textIn(delivery, 'at'))) return;
    if (missed !== null) missed.again += 1;
    void forwarder.forward(envelope, delivery).then(say);
  });
  feed.on('logged', (entry: unknown) => {
    if (!place.isNew(textIn(entry, 'webhook_id') ?? '', null)) return;
    if (missed !== null) missed.ended += 1;
    say(loggedLine(entry));
  });
  feed.on('caught_up', ({ at }: { at: string }) => {
    place.caughtUp(at);
    if (missed !== null) say(caughtUpLine(missed));
    missed = null;
  });
}

function loggedLine(entry: unknown): string {
  const [event, channelId, state] = ['event', 'channel_id', 'state'].map(
    (name) => textIn(entry, name) ?? '?',
  );
  return `${event} ${channelId} was ${state} meanwhile: its content is erased, so it is not forwarded`;
}

function caughtUpLine({ again, ended }: { again: number; ended: number }): string {
  if (again + ended === 0) return 'Reconnected; no event was missed.';
  return `Reconnected; missed events: ${again} forwarded now, ${ended} with erased content not forwarded.`;
}

function explainRefusal(code: string | null, error: Error, service: string): ListenError {
  if (code === 'unauthorized') return new ListenError(1, `${service} does not accept this API key.`);
  if (code !== null) return new ListenError(1, `${service} refused the connection: ${error.message}`);
  return new ListenError(
    1,
    `No answer from ${service}. Does the service run there? If not, give its address with --url.`,
  );
}

function readCode(error: Error): string | null {
  if (!('data' in error) || typeof error.data !== 'object' || error.data === null) return null;
  return 'code' in error.data ? String(error.data.code) : null;
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) return void process.stdout.write(usage);
  const options = readOptions(args);
  haveAddressPatience();
  await listen(options, makeForwarder(options.forwardTo));
}

main().then(
  () => process.exit(0),
  (thrown: unknown) => {
    const error = asError(thrown);
    process.stderr.write(`${error.message}\n`);
    process.exit(error instanceof ListenError ? error.exitCode : 2);
  },
);
