/** Routes of the operators' console: entered with ADMIN_TOKEN, for an hour, on the operators' listener if there is one. */
import { pageOfKnown, pageRoute } from '../../route.ts';
import type { RouteContext, PageContext } from '../../route.ts';
import type { World } from '../../world.ts';
import { isOperating, beginOperating, endOperating } from '../session.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { actorOf } from '../../../http/middleware/authenticate.ts';
import type { FailureAnswer, OpenRoute, Request, Response, Way } from '../../../http/route.ts';
import { parseQuery } from '../../../http/validation/query.ts';
import { fault } from '../../../kernel/faults.ts';
import { hashSecret, newSecret } from '../../../kernel/ids.ts';
import { failingInConsole } from '../../../pages/failure.ts';
import { limitAnonymous } from '../../../pages/route.ts';
import { makeCsrfToken, readCookie, setCookie } from '../../../pages/session/cookies.ts';
import type { CookieName } from '../../../pages/session/cookies.ts';
import { nextIn } from '../../../pages/session/pages.ts';
import { consolePath, enterPath, leavePath } from '../../../pages/paths.ts';
import { answerListOver } from '../../../pages/list/list-page.tsx';
import type { ListSpec } from '../../../pages/list/list-page.tsx';
import type { Filter } from '../../../pages/list/filter.tsx';
import type { Page } from '../../../kernel/paging.ts';
import { answerConsole, answerNoticeInConsole } from './shell.tsx';

type PageSpec = Way & { name: string; open: (context: PageContext) => void | Promise<void> };

/** A page for a person who has not entered the console yet. */
export function consoleSignInPage({ open, ...spec }: PageSpec): OpenRoute<World> {
  return consoleRoute(pageRoute, spec, (request, response, context) =>
    open({
      ...openPage(request, response, context),
      csrf: makeCsrfToken(openVisit(request, response, context)),
    }),
  );
}

/** A page of the console; a person who has not entered it is redirected to the form for the token. */
export function operatorPage({ open, ...spec }: PageSpec): OpenRoute<World> {
  return consoleRoute(pageOfKnown, spec, async (request, response, context) => {
    const secret = cookieIn(request, context, 'operator');
    const isIn = (): Promise<boolean> => isConsoleOpen(secret, context);
    if (!(await isIn())) {
      limitAnonymous(request, context);
      return sendRedirect(response, signInAddress(request));
    }
    const stillMay = async (): Promise<void> => {
      if (!(await isIn())) throw fault('bad_request', { why: 'The session has ended' });
    };
    const page = { ...openPage(request, response, context), csrf: makeCsrfToken(secret), stillMay };
    try {
      await open(page);
    } catch (thrown) {
      failingWithin(page)(request, response, thrown, context.log);
    }
  });
}

/** GET of a form's URL, after a reload or from a shared link: redirects to the form's page. */
export function leadBackInConsole(path: string, to: (context: PageContext) => string): OpenRoute<World> {
  return operatorPage({
    get: path,
    name: `back:${path}`,
    open: (context) => sendRedirect(context.response, to(context)),
  });
}

/** Failures are shown within the navigation, so that the operator can continue from there. */
const failingWithin = (page: PageContext): FailureAnswer =>
  failingInConsole((_response, status, { title, paragraphs }) =>
    answerNoticeInConsole(page, status, { title, paragraphs }),
  );

/** The form for the token, which leads back to the requested page. After a POST it says that the POST was not executed. */
function signInAddress({ method, url }: Request): string {
  const isLeaving = url === leavePath;
  const next = isLeaving ? null : nextIn(url, consolePath);
  const query = new URLSearchParams({
    ...(next === null || next === consolePath ? {} : { next }),
    ...(method === 'POST' && !isLeaving ? { ended: '' } : {}),
  });
  return query.size === 0 ? enterPath : `${enterPath}?${query}`;
}

export function isEntered(context: PageContext): Promise<boolean> {
  return isConsoleOpen(cookieIn(context.request, context, 'operator'), context);
}

async function isConsoleOpen(secret: string, context: RouteContext): Promise<boolean> {
  return secret !== '' && (await isOperating(context.world, secret, tokenHash(context)));
}

/** Starts a session for a person who presented the token. The visit cookie stays, for a second tab with the form. */
export async function enter(context: PageContext): Promise<void> {
  const { secret, expiresAt } = await beginOperating(context.world, context.by, tokenHash(context));
  const site = chooseSite(context);
  const maxAgeSeconds = (expiresAt - context.clock.now()) / 1_000;
  setCookie(context.response, site, 'operator', { text: secret, maxAgeSeconds });
}

export async function leave(context: PageContext): Promise<void> {
  await endOperating(context.world, cookieIn(context.request, context, 'operator'));
  setCookie(context.response, chooseSite(context), 'operator', null);
}

const consoleFailed = failingInConsole();

function consoleRoute(
  route: typeof pageRoute,
  spec: Way & { name: string },
  open: OpenRoute<World>['open'],
): OpenRoute<World> {
  const isHere: OpenRoute['isHere'] = ({ adminToken }) => adminToken !== '';
  return { ...route({ ...spec, listener: 'operators', isHere, open }), failures: consoleFailed };
}

function openPage(request: Request, response: Response, context: RouteContext): PageContext {
  const by = actorOf(request, context, { kind: 'operator', name: null });
  return { ...context, request, response, query: parseQuery(request.url), csrf: '', by };
}

function openVisit(request: Request, response: Response, context: RouteContext): string {
  const known = cookieIn(request, context, 'operatorVisit');
  if (known !== '') return known;
  const text = newSecret();
  setCookie(response, chooseSite(context), 'operatorVisit', { text, maxAgeSeconds: 3_600 });
  return text;
}

function cookieIn(request: Request, context: RouteContext, name: CookieName): string {
  return readCookie(request, chooseSite(context), name);
}

/** The operators' own listener uses plain HTTP in a private network: a browser would never return a `Secure` cookie. */
function chooseSite({ listenerKind, baseUrl }: RouteContext): string {
  return listenerKind === 'operators' ? 'http://operators' : baseUrl;
}

/** Sessions are bound to this hash, so that a new ADMIN_TOKEN ends them all. */
function tokenHash({ adminToken }: RouteContext): string {
  return hashSecret(`operators:${adminToken}`);
}

/** A page of the console with one list. */
export function operatorListPage<F extends Filter, R extends Page<unknown>>({
  name,
  ...spec
}: ListSpec<PageContext, F, R> & { name: string }): OpenRoute<World> {
  return operatorPage({ get: spec.path, name, open: (context) => answerConsoleList(context, spec) });
}

/** For a list that depends on more than its filter. */
export const answerConsoleList = <F extends Filter, R extends Page<unknown>>(
  context: PageContext,
  spec: ListSpec<PageContext, F, R>,
): Promise<void> => answerListOver(answerConsole, context, spec);
