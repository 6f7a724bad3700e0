import type { Request, Response, Router } from 'express';
import { asNames } from './bag.ts';
import { answerText } from './call.ts';
import { findBusiness, grantable, numberIn, redirectFor, withClientPages } from './dialog.ts';
import { askedOf, readAsked } from './dialog-asked.ts';
import { dialogPage, errorPage } from './dialog-page.ts';
import { GraphError } from './graph-error.ts';
import { htmlType } from './html.ts';
import type { DialogRequest, Targets } from './model.ts';
import type { GraphRoute } from './graph-route.ts';
import { debugToken } from './debug-token.ts';
import { accessToken } from './token-exchange.ts';
import type { World } from './world.ts';

const maxOthersShown = 10;

/** Dialog, token exchange and token inspection [upstream protocol 2.1, 2.4]. */
export function addOauthRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get('/dialog/oauth', (req, res) => showDialog(world, req, res));
  router.post('/dialog/oauth', (req, res) => takeDecision(world, req, res));
  router.all(
    '/oauth/access_token',
    graph((call) => accessToken(world, call)),
  );
  router.get(
    '/debug_token',
    graph((call) => debugToken(world, call)),
  );
}

function queryOf(req: Request): URLSearchParams {
  return new URL(req.originalUrl, 'http://simulator.invalid').searchParams;
}

function withAsked(
  world: World,
  res: Response,
  query: URLSearchParams,
  act: (asked: DialogRequest) => void,
): void {
  try {
    act(readAsked(world, Object.fromEntries(query)));
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const target = refusalRedirect(world, query, error);
    if (target === null) answerText(res, error.status, htmlType, errorPage(error.message));
    else res.redirect(302, target);
  }
}

/** Refusals were seen as a page, and as a redirect with a number, without the state. null: a page. */
function refusalRedirect(world: World, query: URLSearchParams, error: GraphError): string | null {
  const { subcode } = error.refusal;
  const { dialog_refusals: how } = world.settings;
  const redirectUri = query.get('redirect_uri') ?? '';
  if (how === 'page' || subcode === undefined || !URL.canParse(redirectUri)) return null;
  const target = new URL(redirectUri);
  target.searchParams.set('error_code', String(subcode));
  target.searchParams.set('error_message', error.message);
  if (how === 'redirect_with_state') target.searchParams.set('state', query.get('state') ?? '');
  return target.href;
}

function showDialog(world: World, req: Request, res: Response): void {
  const query = queryOf(req);
  withAsked(world, res, query, (given) => {
    const scripted = script(world, query);
    const assets = scripted?.assets ?? asNames(query.get('assets') ?? '');
    const business = findBusiness(world, scripted?.login ?? query.get('login') ?? undefined, assets);
    const asked = askedOf(world, given, business);
    if (!scripted) return showPage(world, res, asked, business, query, null);
    const granted = grantable(world, business, asked, assets.length > 0 ? assets : null);
    const decision = {
      allowed: scripted.decision === 'allow',
      business,
      assets: granted,
      declined: asked.configuration ? [] : scripted.decline,
      targets: scripted.targets,
      isOpen: assets.length === 0,
      numberId: numberIn(world, asked, assets),
    };
    res.redirect(302, redirectFor(world, asked, decision));
  });
}

type Script = {
  readonly decision: 'allow' | 'deny';
  readonly assets: readonly string[];
  readonly decline: readonly string[];
  readonly login: string | null;
  readonly targets: Targets;
};

/** The scripted answer of a dialog without a person: from the URL (`auto=`) or from the control API. */
function script(world: World, query: URLSearchParams): Script | undefined {
  const auto = query.get('auto');
  if (auto === 'allow' || auto === 'deny') {
    const [assets, decline] = [asNames(query.get('assets') ?? ''), asNames(query.get('decline') ?? '')];
    return { decision: auto, assets, decline, login: query.get('login'), targets: {} };
  }
  const [laid] = world.scripts;
  if (laid && laid.times > 0) {
    laid.times -= 1;
    if (laid.times === 0) world.scripts.shift();
  }
  return laid;
}

function showPage(
  world: World,
  res: Response,
  asked: DialogRequest,
  business: ReturnType<typeof findBusiness>,
  query: URLSearchParams,
  problem: string | null,
): void {
  const others = [...world.businesses.values()]
    .filter((other) => other !== business)
    .slice(0, maxOthersShown);
  answerText(
    res,
    problem === null ? 200 : 400,
    htmlType,
    dialogPage(asked, withClientPages(world, business), others, query, problem),
  );
}

function takeDecision(world: World, req: Request, res: Response): void {
  const query = queryOf(req);
  const body: unknown = req.body;
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  withAsked(world, res, query, (given) => {
    const business = findBusiness(world, form.get('login') ?? undefined, []);
    const asked = askedOf(world, given, business);
    const allowed = form.get('decision') === 'allow';
    const assets = grantable(world, business, asked, form.getAll('asset'));
    if (allowed && assets.length === 0)
      return showPage(world, res, asked, business, query, 'Choose at least one.');
    const numberId = numberIn(world, asked, form.getAll('asset'));
    const granted = form.getAll('grant');
    const isWhole = asked.isSignup || asked.configuration !== undefined;
    const declined = isWhole ? [] : asked.scopes.filter((scope) => !granted.includes(scope));
    res.redirect(
      302,
      redirectFor(world, asked, {
        allowed,
        business,
        assets,
        declined,
        targets: {},
        isOpen: false,
        numberId,
      }),
    );
  });
}
