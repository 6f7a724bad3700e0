import { asText, type Bag } from './bag.ts';
import type { Call } from './call.ts';
import { badParameter, GraphError } from './graph-error.ts';
import type { DialogCode } from './model.ts';
import { noteSignUp } from './phone-life.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const codeLifeMs = 600_000;

/** How long a token from the dialog is valid, seconds. */
export const shortTokenLifeS = 5_400;

/** `/oauth/access_token`: exchanges a code, a short-lived token or the app's own credentials for a token [upstream protocol 1.2, 2.1]. */
export function accessToken(world: World, { bag, basic }: Call): Record<string, unknown> {
  if ((asText(bag.client_id) ?? basic?.id) !== world.app.id) {
    throw new GraphError({
      code: 101,
      message: 'Error validating application. Cannot get application info due to a system error.',
    });
  }
  if ((asText(bag.client_secret) ?? basic?.secret) !== world.app.secret)
    throw new GraphError({ code: 1, message: 'Error validating client secret.' });
  switch (asText(bag.grant_type)) {
    case 'client_credentials':
      return { access_token: `${world.app.id}|${world.app.secret}`, token_type: 'bearer' };
    case 'fb_exchange_token':
      return longLived(world, bag);
    default:
      return fromCode(world, bag);
  }
}

function fromCode(world: World, bag: Bag): TokenAnswer {
  const { settings } = world;
  const code = world.codes.get(asText(bag.code) ?? '');
  if (!code) throw badCode(undefined, 'Invalid verification code format.');
  if (code.used) throw badCode(36009, 'This authorization code has been used.');
  const lifeMs = code.isSignup ? settings.signup_code_life_ms : codeLifeMs;
  if (world.now() - code.at > lifeMs) throw badCode(36007, 'This authorization code has expired.');
  const redirectUri = asText(bag.redirect_uri);
  // Codes of the signup popup are issued without a redirect, so the parameter may be missing there [upstream protocol 2.4].
  const mayMiss = code.isSignup && !settings.code_needs_redirect;
  const isSame = redirectUri === code.redirectUri || (redirectUri === undefined && mayMiss);
  if (!isSame)
    throw badCode(
      36008,
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    );
  code.used = true;
  return takeCode(world, code);
}

/** The answer to a call for a token. `expires_in` in seconds; without it the token never ends. */
type TokenAnswer = {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in?: number;
};

/** The token for what the person granted in the dialog. */
export function takeCode(world: World, code: DialogCode): TokenAnswer {
  return code.isSignup ? businessToken(world, code) : userToken(world, code);
}

function badCode(subcode: number | undefined, message: string): GraphError {
  return new GraphError({ code: 100, subcode, message });
}

function businessToken(world: World, code: DialogCode): TokenAnswer {
  noteSignUp(world, code.assets);
  const life = systemLifeS(code);
  const token = world.tokens.mint({
    kind: 'business',
    subject: code.assets[0] ?? '',
    ...granted(code),
    expiresAt: endOf(world, life),
  });
  return answerWith(token, life);
}

/** Seconds; 0: without end. */
function systemLifeS({ configuration }: DialogCode): number {
  return (configuration?.days ?? 0) * 86_400;
}

function endOf(world: World, lifeS: number): number {
  return lifeS === 0 ? 0 : world.now() + lifeS * 1000;
}

function answerWith({ text }: Token, lifeS: number): TokenAnswer {
  const life = lifeS === 0 ? {} : { expires_in: lifeS };
  return { access_token: text, token_type: 'bearer', ...life };
}

/** The person's grants, which every token from the code carries. */
function granted(
  code: DialogCode,
): Pick<Token, 'login' | 'scopes' | 'declined' | 'targets' | 'assets' | 'isOpen'> {
  const { login } = code.business;
  const scopes = code.scopes.filter((scope) => !code.declined.includes(scope));
  const declined = code.scopes.filter((scope) => code.declined.includes(scope));
  return {
    login,
    scopes,
    declined,
    targets: code.targets,
    assets: new Set(code.assets),
    isOpen: code.isOpen,
  };
}

function userToken(world: World, code: DialogCode): TokenAnswer {
  const isSystem = code.configuration?.token === 'system';
  const life = isSystem ? systemLifeS(code) : shortTokenLifeS;
  const token = world.tokens.mint({
    kind: 'user',
    subject: code.business.login,
    ...granted(code),
    isSystem,
    expiresAt: endOf(world, life),
  });
  return answerWith(token, life);
}

const renewedLifeS = 60 * 86_400;

/** Another token for the same grant: a long one of a person, or one of a system user with sixty more days [upstream protocol 1.2]. */
function longLived(world: World, bag: Bag): TokenAnswer {
  const text = asText(bag.fb_exchange_token);
  const given = text === undefined ? undefined : world.tokens.find(text);
  const fault = world.tokens.fault(given);
  if (fault) throw fault;
  if (!given) throw badParameter('The parameter fb_exchange_token is required');
  const isSystem = given.kind === 'business' || given.isSystem;
  if (isSystem && bag.set_token_expires_in_60_days === 'true') return another(world, given, renewedLifeS);
  const isKept = given.isSystem && world.settings.system_token_exchange;
  if (given.kind !== 'user' || (given.isSystem && !isKept))
    throw badParameter('The parameter fb_exchange_token is required');
  return isKept ? answerWith(given, 0) : another(world, given, world.settings.user_token_life_s);
}

function another(world: World, given: Token, lifeS: number): TokenAnswer {
  const token = world.tokens.mint({ ...given, text: undefined, expiresAt: endOf(world, lifeS) });
  return answerWith(token, lifeS);
}
