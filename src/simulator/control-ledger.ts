import type { Router } from 'express';
import { asNumber, asText, type Bag } from './bag.ts';
import { oneOf } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { sizeOf } from './media-bytes.ts';
import type { Sent } from './model.ts';
import type { WebhookPost } from './webhooks-out.ts';
import type { World } from './world.ts';

const usualLimit = 1_000;
const maxWaitMs = 120_000;

/** Ledgers of sends and webhooks, with a wait for tests that must not sleep. */
export function addLedgerRoutes(router: Router, control: ControlRoute, world: World): void {
  router.get(
    '/sends/summary',
    control(() => summary(world)),
  );
  router.get(
    '/sends',
    control((ask) => sends(world, ask)),
  );
  router.get(
    '/webhooks',
    control((ask) => webhooks(world, ask)),
  );
  router.get(
    '/signals',
    control((ask) => ({
      signals: world.signals.filter(({ person }) => ask.person === undefined || ask.person === person),
    })),
  );
  router.get(
    '/media',
    control((ask) => media(world, ask)),
  );
}

/** Files that people and clients sent, and how often each was downloaded. */
function media(world: World, ask: Bag): Record<string, unknown> {
  const only = asText(ask.id);
  const files = world.files().filter((file) => only === undefined || file.id === only);
  const shown = files.slice(-usualLimit).map((file) => ({
    id: file.id,
    mime_type: file.mimeType,
    filename: file.filename,
    size: sizeOf(file.content),
    downloads: file.downloads,
  }));
  return { total: files.length, media: shown };
}

function summary(world: World): Record<string, number> {
  return {
    accepted: world.sends.total - world.refused,
    refused: world.refused,
    distinct_tags: world.copies.size,
    most_copies: world.mostCopies,
    webhooks_delivered: world.webhooks.delivered,
    webhooks_waiting: world.webhooks.waiting,
    webhooks_given_up: world.webhooks.givenUp,
  };
}

type Range = {
  readonly after: number;
  readonly limit: number;
  readonly atLeast: number;
  readonly waitMs: number;
};

function rangeOf(ask: Bag): Range {
  return {
    after: asNumber(ask.after) ?? -1,
    limit: asNumber(ask.limit) ?? usualLimit,
    atLeast: asNumber(ask.at_least) ?? 1,
    waitMs: Math.min(asNumber(ask.wait_ms) ?? 0, maxWaitMs),
  };
}

async function sends(world: World, ask: Bag): Promise<Record<string, unknown>> {
  const outcome = oneOf(ask, 'outcome', ['accepted', 'refused', 'all'], 'accepted');
  const range = rangeOf(ask);
  const isAsked = (sent: Sent): boolean =>
    (outcome === 'all' || sent.outcome === outcome) && matchesSend(ask, sent);
  await world.sends.until(
    () => world.sends.list(isAsked, range.after, range.atLeast).length >= range.atLeast,
    range.waitMs,
  );
  const found = world.sends.list(isAsked, range.after, range.limit);
  return {
    total: world.sends.total,
    sends: found.map((sent) => ({ ...sent, channel: sent.channel.id, copies: world.copiesOf(sent) })),
  };
}

function matchesSend(ask: Bag, sent: Sent): boolean {
  const isChannel = ask.channel === undefined || ask.channel === sent.channel.id;
  const names = ['tag', 'recipient', 'kind', 'text', 'id', 'type', 'status'] as const;
  return isChannel && names.every((name) => ask[name] === undefined || ask[name] === sent[name]);
}

async function webhooks(world: World, ask: Bag): Promise<Record<string, unknown>> {
  const range = rangeOf(ask);
  const { ledger } = world.webhooks;
  const isAsked = (post: WebhookPost): boolean => matchesPost(ask, post);
  await ledger.until(
    () => ledger.list(isAsked, range.after, range.atLeast).length >= range.atLeast,
    range.waitMs,
  );
  const found = ledger.list(isAsked, range.after, range.limit);
  return { total: ledger.total, webhooks: found.map((post) => ({ ...post, attempts: post.answers.length })) };
}

function matchesPost(ask: Bag, post: WebhookPost): boolean {
  const kind = asText(ask.kind);
  const contains = asText(ask.contains);
  const isKind = kind === undefined || post.kinds.includes(kind);
  const isObject = ask.object === undefined || ask.object === post.object;
  const isOutcome = ask.outcome === undefined || ask.outcome === post.outcome;
  return isKind && isObject && isOutcome && (contains === undefined || post.body.includes(contains));
}
