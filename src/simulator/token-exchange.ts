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
      return longLived(world, asText(bag.fb_exchange_token));
    default:
      return fromCode(world, bag);
  }
}

function fromCode(world: World, bag: Bag): Record<string, unknown> {
  const code = world.codes.get(asText(bag.code) ?? '');
  if (!code) throw badCode(undefined, 'Invalid verification code format.');
  if (code.used) throw badCode(36009, 'This authorization code has been used.');
  if (world.now() - code.at > codeLifeMs) throw badCode(36007, 'This authorization code has expired.');
  const redirectUri = asText(bag.redirect_uri);
  // Codes of the signup popup are issued without a redirect, so the parameter may be missing there [upstream protocol 2.4].
  const isSame = redirectUri === code.redirectUri || (redirectUri === undefined && code.isSignup);
  if (!isSame)
    throw badCode(
      36008,
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    );
  code.used = true;
  return code.isSignup ? businessToken(world, code) : userToken(world, code);
}

function badCode(subcode: number | undefined, message: string): GraphError {
  return new GraphError({ code: 100, subcode, message });
}

function businessToken(world: World, code: DialogCode): Record<string, unknown> {
  noteSignUp(world, code.assets);
  const token = world.tokens.mint({
    kind: 'business',
    subject: code.assets[0] ?? '',
    ...granted(code),
    expiresAt: 0,
  });
  return { access_token: token.text, token_type: 'bearer' };
}

/** The person's grants, which every token from the code carries. */
function granted(code: DialogCode): Pick<Token, 'login' | 'scopes' | 'declined' | 'targets' | 'assets'> {
  const { login } = code.business;
  const scopes = code.scopes.filter((scope) => !code.declined.includes(scope));
  const declined = code.scopes.filter((scope) => code.declined.includes(scope));
  return { login, scopes, declined, targets: code.targets, assets: new Set(code.assets) };
}

function userToken(world: World, code: DialogCode): Record<string, unknown> {
  const expiresAt = world.now() + shortTokenLifeS * 1000;
  const token = world.tokens.mint({
    kind: 'user',
    subject: code.business.login,
    ...granted(code),
    expiresAt,
  });
  return { access_token: token.text, token_type: 'bearer', expires_in: shortTokenLifeS };
}

function longLived(world: World, text: string | undefined): Record<string, unknown> {
  const short = text === undefined ? undefined : world.tokens.find(text);
  const fault = world.tokens.fault(short);
  if (fault) throw fault;
  if (short?.kind !== 'user') throw badParameter('The parameter fb_exchange_token is required');
  const life = world.settings.user_token_life_s;
  const { kind, subject, login, scopes, declined, targets, assets } = short;
  const token = world.tokens.mint({
    kind,
    subject,
    login,
    scopes,
    declined,
    targets,
    assets,
    expiresAt: world.now() + life * 1000,
  });
  return { access_token: token.text, token_type: 'bearer', expires_in: life };
}
