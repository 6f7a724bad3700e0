/** Routes of the portal: before sign-in, and for signed-in people. */
import type { IncomingMessage } from 'node:http';
import { sendRedirect } from '../../http/answers.ts';
import type { RouteContext } from '../../http/options.ts';
import { requireRate, actorOf } from '../../http/middleware/authenticate.ts';
import { clientAddress } from '../../http/middleware/client-address.ts';
import { readRequestId } from '../../http/middleware/request-headers.ts';
import type { FailureAnswer, OpenRoute, Request, Response, Way } from '../../http/route.ts';
import { parseQuery } from '../../http/validation/query.ts';
import { mayAs } from '../../rules/person.ts';
import type { Role, Visitor } from '../../rules/person.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { failingAs, pageFailed } from '../failure.ts';
import type { Notice } from '../notice.tsx';
import { limitAnonymous, pageOfKnown, pageRoute } from '../route.ts';
import { answerNoticeWithin } from '../shell.tsx';
import type { PageContext, PublicContext, SignedInContext } from './context.ts';
import { makeCsrfToken, readCookie, setCookie, beginVisit } from './cookies.ts';
import { peoplePath, signInPath } from '../paths.ts';

export type PageSpec<D> = Way & {
  name: string;
  failedAs?: Notice;
  open: (context: D) => void | Promise<void>;
};

/** A POST names the lowest role that may do it; a GET only if not every role may see the page. */
export type SignedInSpec<W> = PageSpec<SignedInContext<W>> &
  ({ get: string; may?: Role } | { post: string; may: Role });

/** A page for a browser that is not signed in. */
export function openPage<W>({ open, ...spec }: PageSpec<PageContext<W>>): OpenRoute<W> {
  return pageRoute({
    ...spec,
    open: (request, response, context) => {
      const csrf = makeCsrfToken(beginVisit(request, response, context.baseUrl));
      const by = actorOf(request, context, { kind: 'person', name: null });
      return open({ ...context, request, response, query: parseQuery(request.url), csrf, by });
    },
  });
}

/** A page of an account. A visitor who is not signed in is redirected to sign-in, and back afterwards. */
export function signedInPage<W>({ open, ...spec }: SignedInSpec<W>): OpenRoute<W> {
  return pageOfKnown({
    ...spec,
    open: async (request, response, context) => {
      const needed = spec.may ?? 'viewer';
      const signedIn = await findSignedIn(request, response, context, needed);
      if (signedIn === null) return sendRedirect(response, wayToSignIn(request));
      const { role } = signedIn.visitor;
      if (!mayAs(role, needed)) return answerNoticeWithin(signedIn, 403, notForRole(role, needed));
      try {
        await open(signedIn);
      } catch (thrown) {
        failingWithin(signedIn)(request, response, thrown, context.log);
      }
    },
  });
}

export type PublicSpec<W> = Pick<OpenRoute<W>, 'name' | 'contract'> & {
  get: string;
  open: (context: PublicContext<W>) => void;
};

/** A page for everybody. People who are signed in see it within their navigation: it ends in `answerPublic`. */
export function publicPage<W>({ open, ...spec }: PublicSpec<W>): OpenRoute<W> {
  return pageOfKnown({
    ...spec,
    open: async (request, response, context) => {
      const signedIn = await findSignedIn(request, response, context, 'viewer');
      open({ ...context, request, response, signedIn });
    },
  });
}

/** Null: nobody is signed in. Counts the request for the limit of the person or address. */
async function findSignedIn<W>(
  request: Request,
  response: Response,
  context: RouteContext<W>,
  needed: Role,
): Promise<SignedInContext<W> | null> {
  const secret = readCookie(request, context.baseUrl, 'session');
  const visitor = secret === '' ? null : await context.findVisitor(secret);
  if (visitor === null) {
    limitAnonymous(request, context);
    return null;
  }
  limit(request, visitor, context);
  const csrf = makeCsrfToken(secret);
  const by = actorOf(request, context, { kind: 'person', name: visitor.email });
  const stillMay = (): Promise<void> => requireRole(context, secret, needed);
  const opened = { ...context, request, response, query: parseQuery(request.url), csrf, stillMay, by };
  const caller = { ...visitor.caller, requestId: readRequestId(request), by };
  return {
    ...opened,
    visitor: { ...visitor, caller },
    caller,
    actor: () => chooseCaller({ ...visitor, caller }),
  };
}

/** Failures are shown within the navigation, so that the person can continue from there. */
const failingWithin = (context: SignedInContext): FailureAnswer =>
  failingAs(pageFailed, (_response, status, { title, paragraphs }) =>
    answerNoticeWithin(context, status, { title, paragraphs }),
  );

/** A person who was removed, or got a lower role, while the form was being sent must not change anything with it. [faults: 175] */
async function requireRole(context: RouteContext, secret: string, needed: Role): Promise<void> {
  const visitor = await context.findVisitor(secret);
  if (visitor === null || !mayAs(visitor.role, needed))
    throw fault('bad_request', { why: 'The session has ended, or its role is another' });
}

/** Notice for a person whose role may not do what was requested. */
function notForRole(role: Role, needed: Role): Notice {
  const whose = needed === 'owner' ? 'its owners' : 'its developers and owners';
  return {
    title: 'Not for your role',
    paragraphs: [
      `You are a ${role} of this account. This is for ${whose}. Nothing was changed.`,
      'An owner can give you another role: the page People shows who the owners are.',
    ],
    way: { path: peoplePath, word: 'People' },
  };
}

/** GET of a form's URL, after a reload or from a shared link: redirects to the form's page. */
export function leadBack<W>(path: string, to: (context: SignedInContext<W>) => string): OpenRoute<W> {
  return signedInPage({
    get: path,
    name: `back:${path}`,
    open: (context) => sendRedirect(context.response, to(context)),
  });
}

/**
 * Actions of people count like those of one more key of their account, and are shed like sends when the node is busy. [faults: 111, 182]
 */
function limit(
  { method }: IncomingMessage,
  { personId, caller: { accountId } }: Visitor,
  { rateLimiter, pageLimits, shed }: RouteContext,
): void {
  if (method !== 'POST') return pageLimits.take('person', personId);
  requireRate(rateLimiter, { accountId, apiKeyId: `portal-${accountId}` });
  shed();
}

/** An id in the path; a malformed one is answered like an unknown one. */
export function idIn({ request }: Pick<PageContext, 'request'>, name: string): string {
  const id = request.params[name];
  if (typeof id !== 'string' || !isIdShaped(id)) throw fault('not_found');
  return id;
}

/** Other texts are answered like unknown ids, without asking a store. */
export function isIdShaped(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

export const signOutPath = '/portal/sign-out';

function chooseCaller({ caller, mayAct }: Visitor): Caller {
  if (mayAct) return caller;
  throw fault('email_not_confirmed');
}

/** A path at or below `top` to redirect to; null for any other text. */
export function nextIn(text: string | null, top = '/portal'): string | null {
  if (text === null || text.length > 500 || !/^(\/[\w-]+)+(\?[\w=&%.:+*-]*)?$/.test(text)) return null;
  const [path = ''] = text.split('?');
  return `${path}/`.startsWith(`${top}/`) ? text : null;
}

/** Sign-in, with the page to return to; for the URL of a form, the form's page. */
function wayToSignIn(request: IncomingMessage): string {
  const next = pathIn(request);
  const asked = {
    ...(next === null || next === signOutPath ? {} : { next }),
    ...(request.method === 'POST' && next !== signOutPath ? { ended: '' } : {}),
  };
  const query = new URLSearchParams(asked);
  return query.size === 0 ? signInPath : `${signInPath}?${query}`;
}

function pathIn({ url = '' }: IncomingMessage): string | null {
  return nextIn(url) ?? nextIn(url.split('?')[0] ?? '');
}

/** Sign-in and sign-up forms are not for people who are signed in already. */
export async function isSignedIn({ request, baseUrl, findVisitor }: PageContext): Promise<boolean> {
  const secret = readCookie(request, baseUrl, 'session');
  return secret !== '' && (await findVisitor(secret)) !== null;
}

/** Signs the browser in, with a new secret that nobody knew before. The visit cookie stays, for forms in other tabs. */
export function startSession(
  { response, baseUrl, clock }: PageContext,
  { secret, expiresAt }: { secret: string; expiresAt: number },
): void {
  setCookie(response, baseUrl, 'session', {
    text: secret,
    maxAgeSeconds: (expiresAt - clock.now()) / 1_000,
  });
}

/** The browser has to give the code of the second step next. */
export function awaitCode(
  { response, baseUrl, clock }: PageContext,
  { secret, expiresAt }: { secret: string; expiresAt: number },
): void {
  const maxAgeSeconds = (expiresAt - clock.now()) / 1_000;
  setCookie(response, baseUrl, 'step', { text: secret, maxAgeSeconds });
}

/** Also after the session: the browser's next sign-in is not one of a stranger. */
export function rememberBrowser(
  { response, baseUrl, clock }: PageContext,
  { browser: text, browserExpiresAt }: { browser: string; browserExpiresAt: number },
): void {
  const maxAgeSeconds = (browserExpiresAt - clock.now()) / 1_000;
  setCookie(response, baseUrl, 'known', { text, maxAgeSeconds });
}

/** The client's address, for the limits. */
export function clientAddressIn({
  request,
  trustProxyHops,
}: Pick<PageContext, 'request' | 'trustProxyHops'>): string {
  return clientAddress(request, trustProxyHops);
}
