import type { Router } from 'express';
import { asList, asNumber, asText, type Bag } from './bag.ts';
import { mintAssetToken } from './businesses.ts';
import { oneOf, required } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { tokenDeathNames, type TokenDeath } from './token-deaths.ts';
import type { Page, Waba } from './model.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** Routes that make tokens, change them and end them. */
export function addTokenRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/tokens',
    control((ask) => ({ token: mintAssetToken(world, assetOf(world, ask)) })),
  );
  router.post(
    '/tokens/expire',
    control((ask) => killTokens(world, ask, 'expired')),
  );
  router.post(
    '/tokens/revoke',
    control((ask) => killTokens(world, ask, 'revoked')),
  );
  router.post(
    '/tokens/change',
    control((ask) => changeTokens(world, ask)),
  );
  router.post(
    '/tokens/kill',
    control((ask) => killTokens(world, ask, oneOf(ask, 'death', tokenDeathNames, 'revoked'))),
  );
}

/** Takes scopes from an asset's tokens, gives them others, and an end: `debug_token` and calls see both from now on. */
function changeTokens(world: World, ask: Bag): { tokens: number } {
  const asset = assetOf(world, ask).id;
  const without = asList(ask.without) ?? [];
  const added = (asList(ask.with) ?? []).flatMap((scope) => asText(scope) ?? []);
  const endsInMs = asNumber(ask.ends_in_ms);
  const changed = [...world.tokens.all()].filter((token) => token.kind !== 'user' && token.assets.has(asset));
  for (const token of changed) {
    token.scopes = [...new Set([...token.scopes, ...added])].filter((scope) => !without.includes(scope));
    if (endsInMs !== undefined) token.expiresAt = endsInMs === 0 ? 0 : world.now() + endsInMs;
  }
  return { tokens: changed.length };
}

function killTokens(world: World, ask: Bag, state: TokenDeath): { tokens: number } {
  const text = asText(ask.token);
  const login = asText(ask.login);
  if (text !== undefined) return { tokens: world.tokens.kill(state, (token) => token.text === text) };
  if (login !== undefined) return { tokens: world.tokens.kill(state, (token) => token.login === login) };
  const asset = assetOf(world, ask).id;
  const speaksFor = (token: Token): boolean => token.kind !== 'user' && token.assets.has(asset);
  return { tokens: world.tokens.kill(state, speaksFor) };
}

function assetOf(world: World, ask: Bag): Page | Waba {
  const node = world.nodes.get(required(ask, 'asset'));
  if (node?.type === 'page' || node?.type === 'waba') return node;
  if (node?.type === 'photo') return node.page;
  if (node?.type === 'phone') return node.waba;
  throw new Error('asset is no page, photoapp account, business account or phone number');
}
