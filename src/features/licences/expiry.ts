/**
 * Follow-up of licences that ended by time. Every send checks the end itself; this job does the rest: moves the channels to another
 * operable licence, mails the account, sets the stored status to `expired`. Each step is idempotent: after a crash between two of
 * them the next run does the rest. [operator-interface §4: trial subscription; operator-interface §2, SUBSCRIPTION_GRACE_MS]
 */
import type { EndingPlace } from './store.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { sources } from '../../rules/licences/subscription.ts';
import type { Source, Subscription } from '../../rules/licences/subscription.ts';
import { trialEnding } from './letters.ts';
import { dayMs, hourMs } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import { agreedNow } from '../../storage/agreed-time.ts';
import type { World } from '../world.ts';
import { channelsBoundTo, rebindOrMail } from './rebind-channels.ts';
import { writeMail } from '../mails/index.ts';

const perQuery = 100;
const firstPlace: EndingPlace = { expiresAt: 0, id: '' };
const remindedBeforeMs = 3 * dayMs;

/** Handles every lapsed licence. */
export async function lapseLicences(world: World): Promise<void> {
  for (const source of sources) await lapseAll(world, source);
}

async function lapseAll(world: World, source: Source): Promise<void> {
  const { subscriptions } = world.stores;
  const until = (await agreedNow(world)) - (source === 'billing_provider' ? world.settings.graceMs : 0);
  for (;;) {
    const found = await subscriptions.ending({ source, after: firstPlace, until, limit: perQuery });
    for (const subscription of found) await lapse(world, subscription);
    if (found.length < perQuery) return;
  }
}

/** The status is written last, so that the next run finds the licence again after a crash. */
async function lapse(world: World, subscription: Subscription): Promise<void> {
  const { id, source, expiresAt } = subscription;
  if (expiresAt === null) return;
  await rebindOrMail(world, subscription);
  if (await world.stores.subscriptions.lapse(id, expiresAt))
    world.counters.increment('licences_lapsed_total', { source });
}

/** Mails each account once when its trial ends within three days, unless another licence continues. */
export class TrialReminders {
  readonly #world: World;
  /** Cursor of the next run; a node that takes over starts from the beginning. */
  #place = firstPlace;
  /** When all were looked at, by the time that passed. */
  #wholeAt = -Infinity;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the number of mails written. */
  async remind(): Promise<number> {
    const { clock } = this.#world;
    const now = clock.now();
    const until = now + remindedBeforeMs;
    // An operator moves an end before the cursor, and another licence that continued may have ended since.
    const isWhole = clock.monotonic() - this.#wholeAt >= hourMs;
    if (isWhole) this.#wholeAt = clock.monotonic();
    if (isWhole || this.#place.expiresAt < now) this.#place = { expiresAt: now, id: '' };
    let mailed = 0;
    for (;;) {
      const of = { source: 'trial', after: this.#place, until, limit: perQuery } as const;
      const found = await this.#world.stores.subscriptions.ending(of);
      for (const trial of found) {
        mailed += Number(await this.#mailReminder(trial));
        this.#place = { expiresAt: trial.expiresAt ?? until, id: trial.id };
      }
      if (found.length < perQuery) return mailed;
    }
  }

  async #mailReminder(trial: Subscription): Promise<boolean> {
    const { stores, settings } = this.#world;
    const { id, accountId, expiresAt } = trial;
    const others = await stores.subscriptions.list(accountId);
    const isContinued = others.some(
      (each) => each.id !== id && isOperable(each, expiresAt ?? 0, settings.graceMs),
    );
    if (isContinued) return false;
    const bound = await channelsBoundTo(this.#world, trial);
    const active = bound.filter(({ isActive }) => isActive);
    const letter = trialEnding(trial, active, settings.baseUrl);
    const mailId = idFrom('mail', 'trial-ending', id, String(expiresAt));
    return writeMail(this.#world, { ...letter, id: mailId, accountId, kind: 'trial-ending' });
  }
}
