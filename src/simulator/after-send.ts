import { emitEcho, emitMessaging, emitReads, emitStatus, fromPerson, raise, type Settled } from './events.ts';
import { titleOf } from './graph-error.ts';
import type { Page, Phone, Photo, Sent } from './model.ts';
import type { World } from './world.ts';

/** How a send fares after it was accepted. `echo` is the message as pages echo it. */
export type Fate = {
  readonly echo: Record<string, unknown>;
  readonly failure: {
    readonly code: number;
    readonly title?: string | undefined;
    readonly details?: string | undefined;
  } | null;
};

/** Lets statuses or the echo follow an accepted send, each `status_delay_ms` after the one before [upstream protocol 9.8, 9.9]. */
export function followUp(world: World, sent: Sent, fate: Fate): void {
  const { status_delay_ms: delayMs } = world.settings;
  world.later(delayMs, () => {
    first(world, sent, fate);
    if (!fate.failure && isReachable(world, sent)) world.later(delayMs, () => second(world, sent));
  });
}

/** The same at once; resolves when every webhook was answered. For statuses and echoes that overtake the send's answer. */
export async function followUpEarly(world: World, sent: Sent, fate: Fate): Promise<void> {
  await settledOf((settled) => first(world, sent, fate, settled));
  if (!fate.failure && isReachable(world, sent)) await settledOf((settled) => second(world, sent, settled));
}

async function settledOf(emit: (settled: Settled) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    if (!emit(() => resolve())) resolve();
  });
}

// A person who blocked a chatapp number leaves the message at `sent`; upstream says no more.
function isReachable(world: World, sent: Sent): boolean {
  return !world.conversation(sent.channel.id, sent.recipient).blocked;
}

function first(world: World, sent: Sent, fate: Fate, settled?: Settled): boolean {
  const { channel } = sent;
  if (channel.type !== 'phone') return echo(world, channel, sent, fate, settled);
  raise(sent, 'sent');
  const isEmitted = status(world, channel, sent, 'sent', settled);
  if (fate.failure) fail(world, channel, sent, fate.failure);
  return isEmitted;
}

function echo(world: World, channel: Page | Photo, sent: Sent, fate: Fate, settled: Settled): boolean {
  raise(sent, 'sent');
  // [upstream protocol 4.8] A photoapp echo names neither the app nor the metadata.
  const own =
    channel.type === 'page'
      ? { app_id: Number(world.app.id), ...(sent.tag === null ? {} : { metadata: sent.tag }) }
      : {};
  return emitEcho(world, channel, sent.recipient, { ...own, mid: sent.id, ...fate.echo }, settled);
}

function second(world: World, sent: Sent, settled?: Settled): boolean {
  const { channel } = sent;
  raise(sent, 'delivered');
  if (world.settings.auto_read) {
    world.later(world.settings.status_delay_ms, () => emitReads(world, channel, sent.recipient, undefined));
  }
  if (channel.type === 'phone') return status(world, channel, sent, 'delivered', settled);
  if (channel.type === 'photo') return false;
  return emitDelivery(world, channel, sent.recipient, sent.id, settled);
}

/** Emits a pagechat delivery: everything before the watermark has arrived. */
export function emitDelivery(
  world: World,
  page: Page,
  to: string,
  mid: string | null,
  settled?: Settled,
): boolean {
  const at = world.now();
  const delivery = { ...(mid === null ? {} : { mids: [mid] }), watermark: at };
  return emitMessaging(
    world,
    page,
    'delivery',
    fromPerson(page, to, at, { delivery }),
    world.conversation(page.id, to),
    settled,
  );
}

function status(
  world: World,
  phone: Phone,
  sent: Sent,
  name: 'sent' | 'delivered',
  settled: Settled,
): boolean {
  const { id, recipient: to, tag } = sent;
  return emitStatus(world, phone, { id: id ?? '', to, status: name, tag, at: world.now() }, settled);
}

function fail(world: World, phone: Phone, sent: Sent, failure: NonNullable<Fate['failure']>): void {
  world.later(world.settings.status_delay_ms, () => {
    raise(sent, 'failed');
    const { id, recipient: to, tag } = sent;
    const error = {
      code: failure.code,
      title: failure.title ?? titleOf(failure.code),
      details: failure.details,
    };
    emitStatus(world, phone, { id: id ?? '', to, status: 'failed', tag, at: world.now(), error });
  });
}
