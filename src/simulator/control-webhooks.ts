import type { Router } from 'express';
import { asBag, asFlag, isBag, asNumber, asText, type Bag } from './bag.ts';
import { oneOf } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { isSignatureKind, signatureKinds, type SignatureKind } from './settings.ts';
import { escapeNonAscii } from './signing.ts';
import type { WebhookRule } from './webhooks-out.ts';
import type { World } from './world.ts';

/** Routes to hold, flush, corrupt and invent webhooks. */
export function addWebhookRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/webhooks/hold',
    control(() => hold(world)),
  );
  router.get(
    '/webhooks/held',
    control(() => ({
      held: world.webhooks.held().map(({ object, kind, item }) => ({ object, kind, item })),
    })),
  );
  router.post(
    '/webhooks/flush',
    control((ask) => flush(world, ask)),
  );
  router.post(
    '/webhooks/rules',
    control((ask) => addRule(world, ask)),
  );
  router.get(
    '/webhooks/rules',
    control(() => ({ rules: world.webhooks.rules })),
  );
  router.post(
    '/webhooks/raw',
    control((ask) => sendRaw(world, ask)),
  );
}

function hold(world: World): { ok: true } {
  world.webhooks.hold();
  return { ok: true };
}

function flush(world: World, ask: Bag): { events: number } {
  const order = oneOf(ask, 'order', ['fifo', 'reverse', 'shuffle'], 'fifo');
  const batch = Math.max(1, asNumber(ask.batch) ?? 1);
  return {
    events: world.webhooks.flush(order, batch, asNumber(ask.duplicate) ?? 0, asFlag(ask.keep) ?? false),
  };
}

function signatureOf(value: unknown): SignatureKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isSignatureKind(value)) throw new Error(`signature must be one of ${signatureKinds.join(', ')}`);
  return value;
}

function addRule(world: World, ask: Bag): WebhookRule {
  const match = asBag(ask.match) ?? {};
  const rule: WebhookRule = {
    object: asText(match.object),
    kind: asText(match.kind),
    times: asNumber(ask.times) ?? 1,
    delayMs: asNumber(ask.delay_ms),
    duplicate: asNumber(ask.duplicate),
    signature: signatureOf(ask.signature),
    drop: asFlag(ask.drop) ?? false,
    fired: 0,
  };
  world.webhooks.rules.push(rule);
  return rule;
}

async function sendRaw(world: World, ask: Bag): Promise<{ n: number; answers: readonly number[] }> {
  const { body } = ask;
  const object = isBag(body) ? (asText(body.object) ?? '') : '';
  const url = asText(ask.url) ?? world.subscriptions.get(object)?.callbackUrl ?? world.settings.callback_url;
  if (url === null) throw new Error('nobody is subscribed: give a url');
  const text = typeof body === 'string' ? body : escapeNonAscii(JSON.stringify(body ?? {}));
  const signature = signatureOf(ask.signature) ?? 'good';
  const post = world.webhooks.enter({ object, kinds: ['raw'], url, body: text, signature });
  await world.webhooks.ledger.until(() => post.answers.length > 0, world.settings.webhook_timeout_ms);
  return { n: post.n, answers: post.answers };
}
