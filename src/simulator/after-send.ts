import { emitEcho, emitMessaging, fromPerson, type Heard } from './events.ts';
import { findTitle } from './graph-error.ts';
import type { Page, Phone, Photo, Sent } from './model.ts';
import { emitReads, emitStatus, raise } from './receipts.ts';
import type { World } from './world.ts';

/** What happens to a send after it was accepted. `echo` is the message as a page's echo shows it. */
export type Fate = {
  readonly echo: Record<string, unknown>;
  readonly failure: {
    readonly code: number;
    readonly title?: string | undefined;
    readonly details?: string | undefined;
    /** Additional delay compared with a `delivered` (ms). */
    readonly afterMs?: number;
  } | null;
};

// Tests and people expect the webhooks of a message in order. Upstream does not promise it, so a slow or refused first webhook is not
// awaited.
const maxTurnMs = 250;

/**
 * Emits statuses or the echo after an accepted send, each `status_delay_ms` after the one before was answered (or would have been)
 * [upstream protocol 9.8, 9.9].
 */
export function followUp(world: World, sent: Sent, fate: Fate): void {
  const { status_delay_ms: delayMs, auto_statuses: isAutomatic } = world.settings;
  // A failure is always scripted, so it needs no `auto_statuses`.
  if (!isAutomatic && fate.failure === null) return;
  world.later(delayMs, () => {
    let isTurnOver = false;
    const next = (): void => {
      if (isTurnOver) return;
      isTurnOver = true;
      world.later(delayMs + (fate.failure?.afterMs ?? 0), () => second(world, sent, fate));
    };
    const isEmitted = first(world, sent, fate, { answered: next });
    if (!isEmitted || world.webhooks.isHolding()) next();
    else world.later(maxTurnMs, next);
  });
}

/** Does the same at once; resolves when every webhook was answered. For statuses and echoes that overtake the answer to the send. */
export async function followUpEarly(world: World, sent: Sent, fate: Fate): Promise<void> {
  await answerOf((heard) => first(world, sent, fate, heard));
  await answerOf((heard) => second(world, sent, fate, heard));
}

async function answerOf(emit: (heard: Heard) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    if (!emit({ answered: () => resolve() })) resolve();
  });
}

// If the person has blocked a chatapp number, the message stays at `sent`: upstream emits nothing more.
function isReachable(world: World, sent: Sent): boolean {
  return !world.conversation(sent.channel.id, sent.recipient).blocked;
}

function first(world: World, sent: Sent, fate: Fate, heard?: Heard): boolean {
  const { channel } = sent;
  if (channel.type !== 'phone') return echo(world, channel, sent, fate, heard);
  raise(world, sent, 'sent');
  return status(world, channel, sent, 'sent', heard);
}

function echo(world: World, channel: Page | Photo, sent: Sent, fate: Fate, heard: Heard): boolean {
  raise(world, sent, 'sent');
  // [upstream protocol 4.8] A photoapp echo names neither the app nor the metadata.
  const own =
    channel.type === 'page'
      ? { app_id: Number(world.app.id), ...(sent.tag === null ? {} : { metadata: sent.tag }) }
      : {};
  return emitEcho(world, channel, sent.recipient, { ...own, mid: sent.id, ...fate.echo }, heard);
}

function second(world: World, sent: Sent, fate: Fate, heard?: Heard): boolean {
  const { channel } = sent;
  if (fate.failure) return channel.type === 'phone' && fail(world, channel, sent, fate.failure, heard);
  if (!isReachable(world, sent)) return false;
  raise(world, sent, 'delivered');
  if (world.settings.auto_read) {
    world.later(world.settings.status_delay_ms, () => emitReads(world, channel, sent.recipient, undefined));
  }
  if (channel.type === 'phone') return status(world, channel, sent, 'delivered', heard);
  if (channel.type === 'photo') return false;
  return emitDelivery(world, channel, sent.recipient, sent.id, heard);
}

/** Emits a pagechat delivery receipt, which covers every message before the watermark. */
export function emitDelivery(
  world: World,
  page: Page,
  to: string,
  mid: string | null,
  heard?: Heard,
): boolean {
  const at = world.now();
  const delivery = { ...(mid === null ? {} : { mids: [mid] }), watermark: at };
  return emitMessaging(
    world,
    page,
    'delivery',
    fromPerson(page, to, at, { delivery }),
    world.conversation(page.id, to),
    heard,
  );
}

function status(world: World, phone: Phone, sent: Sent, name: 'sent' | 'delivered', heard: Heard): boolean {
  const { id, recipient: to, tag } = sent;
  return emitStatus(world, phone, { id: id ?? '', to, status: name, tag, at: world.now() }, heard);
}

function fail(
  world: World,
  phone: Phone,
  sent: Sent,
  failure: NonNullable<Fate['failure']>,
  heard: Heard,
): boolean {
  raise(world, sent, 'failed');
  const { id, recipient: to, tag } = sent;
  const error = {
    code: failure.code,
    title: failure.title ?? findTitle(failure.code),
    details: failure.details,
  };
  return emitStatus(world, phone, { id: id ?? '', to, status: 'failed', tag, at: world.now(), error }, heard);
}
