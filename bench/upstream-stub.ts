/**
 * Answers sends as upstream does, at once or after a delay, with as little work as node:http allows: on two cores, the whole simulator
 * would take the CPU that is being measured. It also serves files of any size and rate (upstream-files.ts). All other calls (connecting a
 * channel) are passed on to the simulator.
 *
 * `POST /stub/delay` {ms} sets the delay; `POST /stub/taken` {senders} returns the tags of the sends from these senders, and forgets them;
 * a send without a tag gets a number.
 */
import http from 'node:http';
import { listenAndTell, readBody, setting } from './baseline/serve.ts';
import { answerFile } from './upstream-files.ts';

const simulator = new URL(setting('SIMULATOR_URL'));
const agent = new http.Agent({ keepAlive: true });
/** The peer of bench 17 leaves out the version when its address of upstream is replaced. */
const sendPath = /^(?:\/v\d+\.\d+)?\/(\d+)\/messages/;
/** Tags kept per sender, for statuses. */
const maxTags = 1_000_000;
const tags = new Map<string, string[]>();
let delayMs = 0;
let untagged = 0;

const server = http.createServer((request, response) => {
  if (answerFile(request, response)) return;
  const sender = request.method === 'POST' ? sendPath.exec(request.url ?? '')?.[1] : undefined;
  if (sender === undefined && request.url?.startsWith('/stub/') !== true) return passOn(request, response);
  answer(sender, request, response).catch(() => response.destroy());
});
listenAndTell(server, async () => agent.destroy());

async function answer(
  sender: string | undefined,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const text = sender === undefined ? control(request.url, body) : accept(sender, body);
  const end = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  if (sender === undefined || delayMs === 0) end();
  else setTimeout(end, delayMs);
}

function accept(sender: string, body: Buffer): string {
  const { to = '', biz_opaque_callback_data: asTold } = asked(body);
  const tag = typeof asTold === 'string' ? asTold : String((untagged += 1));
  remember(sender, tag);
  const id = `wamid.${tag}`;
  const contacts = [{ input: to, wa_id: String(to).replace('+', '') }];
  return JSON.stringify({ messaging_product: 'whatsapp', contacts, messages: [{ id }] });
}

function remember(sender: string, tag: string): void {
  const known = tags.get(sender) ?? [];
  if (known.length < maxTags) known.push(tag);
  tags.set(sender, known);
}

function control(url: string | undefined, body: Buffer): string {
  const { ms, senders } = asked(body);
  if (url === '/stub/delay') delayMs = Number(ms);
  return JSON.stringify({ taken: Array.isArray(senders) ? senders.map(String).flatMap(taken) : [] });
}

function taken(sender: string): { phone: string; tag: string }[] {
  const known = tags.get(sender) ?? [];
  tags.delete(sender);
  return known.map((tag) => ({ phone: sender, tag }));
}

function asked(body: Buffer): Record<string, unknown> {
  return JSON.parse(body.toString());
}

function passOn(request: http.IncomingMessage, response: http.ServerResponse): void {
  const { method, url: path, headers } = request;
  const on = http.request(
    { host: simulator.hostname, port: simulator.port, method, path, headers, agent },
    (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    },
  );
  on.on('error', () => response.destroy());
  request.pipe(on);
}
