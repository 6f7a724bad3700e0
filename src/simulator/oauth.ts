import type { Request, Response, Router } from 'express';
import { asNames, asText } from './bag.ts';
import { answerText, authenticate, type Call } from './call.ts';
import { findBusiness, grantable, numberIn, readAsked, redirectFor } from './dialog.ts';
import { dialogPage, errorPage } from './dialog-page.ts';
import { GraphError } from './graph-error.ts';
import { htmlType } from './html.ts';
import type { DialogRequest, Targets } from './model.ts';
import type { GraphRoute } from './graph-route.ts';
import { accessToken } from './token-exchange.ts';
import type { Token } from './tokens.ts';
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
    answerText(res, error.status, htmlType, errorPage(error.message));
  }
}

function showDialog(world: World, req: Request, res: Response): void {
  const query = queryOf(req);
  withAsked(world, res, query, (asked) => {
    const scripted = script(world, query);
    const assets = scripted?.assets ?? asNames(query.get('assets') ?? '');
    const business = findBusiness(world, scripted?.login ?? query.get('login') ?? undefined, assets);
    if (!scripted) return showPage(world, res, asked, business, query, null);
    const granted = grantable(world, business, asked, assets.length > 0 ? assets : null);
    const decision = {
      allowed: scripted.decision === 'allow',
      business,
      assets: granted,
      declined: scripted.decline,
      targets: scripted.targets,
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
    dialogPage(asked, business, others, query, problem),
  );
}

function takeDecision(world: World, req: Request, res: Response): void {
  const query = queryOf(req);
  const body: unknown = req.body;
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  withAsked(world, res, query, (asked) => {
    const business = findBusiness(world, form.get('login') ?? undefined, []);
    const allowed = form.get('decision') === 'allow';
    const assets = grantable(world, business, asked, form.getAll('asset'));
    if (allowed && assets.length === 0)
      return showPage(world, res, asked, business, query, 'Choose at least one.');
    const numberId = numberIn(world, asked, form.getAll('asset'));
    const granted = form.getAll('grant');
    const declined = asked.isSignup ? [] : asked.scopes.filter((scope) => !granted.includes(scope));
    res.redirect(
      302,
      redirectFor(world, asked, { allowed, business, assets, declined, targets: {}, numberId }),
    );
  });
}

function debugToken(world: World, call: Call): Record<string, unknown> {
  authenticate(world, call);
  const token = world.tokens.find(asText(call.bag.input_token) ?? '');
  const fault = world.tokens.fault(token);
  if (!token)
    return {
      data: {
        app_id: world.app.id,
        is_valid: false,
        scopes: [],
        error: { code: 190, message: 'Invalid OAuth access token' },
      },
    };
  const { code, subcode } = fault?.refusal ?? {};
  return {
    data: {
      app_id: world.app.id,
      type: { app: 'APP', user: 'USER', page: 'PAGE', business: 'SYSTEM_USER' }[token.kind],
      application: 'Unified Inbox',
      data_access_expires_at: 0,
      expires_at: Math.floor(token.expiresAt / 1000),
      issued_at: Math.floor(token.issuedAt / 1000),
      is_valid: !fault,
      ...(fault ? { error: { code, message: fault.message, subcode } } : {}),
      ...(token.kind === 'page' ? { profile_id: token.subject } : {}),
      user_id: token.login,
      scopes: token.scopes,
      granular_scopes: token.scopes.map((scope) => ({ scope, target_ids: targetsOf(world, token, scope) })),
    },
  };
}

function targetsOf(world: World, token: Token, scope: string): readonly string[] {
  const given = token.targets[scope];
  if (given) return given;
  const pages = [...token.assets].map((id) => world.nodes.get(id)).filter((node) => node?.type === 'page');
  if (scope.startsWith('whatsapp')) return [...token.assets];
  if (scope.startsWith('instagram'))
    return pages.map((page) => page.photo?.id).filter((id) => id !== undefined);
  return scope.startsWith('pages') ? pages.map((page) => page.id) : [];
}
