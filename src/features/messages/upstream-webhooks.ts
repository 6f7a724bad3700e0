import { openRoute } from '../route.ts';
import type { RouteContext } from '../route.ts';
import { receiveUpstreamPost } from './receive-upstream-post.ts';
import { upstreamWebhooksPath } from '../../rules/upstream-path.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fault, Fault } from '../../kernel/faults.ts';
import { isSameSecret } from '../../kernel/ids.ts';
import { sendText } from '../../http/answers.ts';
import { readCounted, upstreamBodyLimit } from '../../http/middleware/read-body.ts';
import { readRequestId } from '../../http/middleware/request-headers.ts';
import type { RefusedPost } from '../../http/options.ts';
import type { Request, Response } from '../../http/route.ts';
import { parseQuery } from '../../http/validation/query.ts';

const path = upstreamWebhooksPath;
const tag = 'Upstream platform';

/** [upstream §1.4] */
export const handshakeRoute = openRoute({
  get: path,
  name: 'upstreamHandshake',
  contract: {
    tag,
    summary: 'Verification handshake of the upstream platform',
    parameters: ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => ({
      name,
      in: 'query',
      required: true,
      schema: { type: 'string' },
      description: 'Set by the upstream platform',
    })),
    answers: {
      200: { contentType: 'text/plain', description: 'The value of `hub.challenge`, unchanged' },
      403: {
        contentType: 'text/plain',
        description:
          '`hub.mode` is not `subscribe`, the token is wrong, or the challenge is missing or too long',
      },
    },
  },
  failures: 'json',
  open: answerHandshake,
});

/** [upstream §1.5] */
export const upstreamPostRoute = openRoute({
  post: path,
  name: 'upstreamPost',
  contract: {
    tag,
    summary: 'Takes events of the upstream platform, signed over the raw body',
    parameters: [
      {
        name: 'X-Hub-Signature-256',
        in: 'header',
        required: true,
        schema: { type: 'string' },
        description: '`sha256=` and the HMAC-SHA256 of the raw body in hex, keyed with the app secret',
      },
    ],
    errors: [401, 413, 503],
    answers: { 200: { contentType: 'text/plain', description: 'All events in the body are stored durably' } },
  },
  failures: 'json',
  open: takePost,
  fastPath: takePost,
});

const maxChallenge = 1_000;

/** The challenge is opaque foreign text: it is returned only after the token matched, as text that no browser sniffs. [faults 51] */
function answerHandshake(request: Request, response: Response, context: RouteContext): void {
  const { upstreamVerifyToken, handshakeEnded } = context;
  const query = parseQuery(request.url);
  const [mode, token, challenge] = ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) =>
    onlyValue(query, name),
  );
  const isKnown = isSameSecret(token ?? '', upstreamVerifyToken);
  if (mode !== 'subscribe' || !isKnown || !challenge || challenge.length > maxChallenge) {
    if (mode === 'subscribe') handshakeEnded(false);
    return sendText(response, 403, 'Forbidden');
  }
  sendText(response, 200, challenge);
  handshakeEnded(true);
}

function onlyValue(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** Answers 200 only once everything is durable; if something can't be written, 503, so that upstream redelivers. [architecture §6.1] */
async function takePost(
  request: IncomingMessage,
  response: ServerResponse,
  context: RouteContext,
): Promise<void> {
  const signature = request.headers['x-hub-signature-256'];
  if (!isSignature(signature)) throw refused('unsigned', context);
  const raw = await readCounted(request, upstreamBodyLimit, context.bodyBudget, (body) =>
    context.verifyUpstreamSignature(body, signature) ? body : null,
  );
  if (raw === null) throw refused('wrong_signature', context);
  try {
    await receiveUpstreamPost(context.world, raw, readRequestId(request));
  } catch (error) {
    acceptUnreadable(error, readRequestId(request), raw, context);
  }
  sendText(response, 200, 'EVENT_RECEIVED');
}

function refused(reason: RefusedPost, { postRefused }: RouteContext): Fault {
  postRefused(reason);
  return fault('not_signed');
}

/** A header that can't be a signature is rejected before the body is read. Two headers arrive joined. [faults: 92] */
function isSignature(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && /^sha256=[0-9a-f]{64}$/i.test(header);
}

/**
 * Answers 200 for a signed body that can't be parsed, and logs it. Upstream would redeliver it unchanged for seven days, and a page whose
 * posts keep failing loses its subscription after an hour: one bad body would silence a channel. [upstream §1.6]
 */
function acceptUnreadable(error: unknown, requestId: string, raw: Uint8Array, { log }: RouteContext): void {
  if (!(error instanceof Fault) || error.code !== 'bad_request') throw error;
  log.warn({ request_id: requestId, bytes: raw.byteLength }, 'http.upstream_post_unreadable');
}
