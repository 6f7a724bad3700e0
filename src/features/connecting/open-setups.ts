/**
 * How many unfinished setup sessions an account may have. A client in a loop could fill the disk within the half hour that a flow lasts.
 * Concurrent calls may exceed it by their number. [operator-interface §4; faults: 232]
 */
import { fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';

type SetupWorld = Pick<World, 'stores' | 'clock'>;

const maxOpen = 300;
/** A page with a choice is a session too, and holds the granted assets: each return from the dialog makes one. */
const maxWithChoices = 2 * maxOpen;

/** Throws 429 `too_many_setups`. */
export async function requireRoomForSetup({ stores, clock }: SetupWorld, accountId: string): Promise<void> {
  const now = clock.now();
  const open = await stores.setupSessions.unfinished(accountId, now, maxOpen);
  const [first] = open;
  if (first === undefined || open.length < maxOpen) return;
  const retryAfter = Math.ceil((first.expiresAt - now) / 1_000);
  throw fault('too_many_setups', { open: maxOpen, retryAfter });
}

export async function hasRoomForChoice({ stores, clock }: SetupWorld, accountId: string): Promise<boolean> {
  const open = await stores.setupSessions.unfinished(accountId, clock.now(), maxWithChoices);
  return open.length < maxWithChoices;
}
