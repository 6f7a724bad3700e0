/**
 * How a choice ended, for who makes it again: a browser shows the answer to the second click of a double click, which may reach another node,
 * and the code is stored as its hash alone. [faults: 503]
 */
import { minuteMs, sleep } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { World } from '../world.ts';
import { mayReturn } from './setup-session.ts';
import type { SetupToken } from './secrets.ts';
import type { SetupSession } from './entity.ts';

/** What was chosen, and where it led; `code`: hash of the code that it led to. */
interface Ending {
  identity: string | null;
  code: string | null;
  next: string | null;
}

const repeatedForMs = minuteMs;
/** Longer than any flow of upstream calls. */
const awaitedForMs = 30_000;
const lookMs = 200;

/** Waits for the choice that is under way, here or on another node. null if it was another one, or its code is no longer reserved. */
export async function repeatChoice(
  world: World,
  known: SetupToken,
  identity: string | null,
): Promise<string | null> {
  const { stores, clock } = world;
  const [hash, from] = [hashSecret(known.token), clock.monotonic()];
  for (;;) {
    const now = clock.now();
    const session = await stores.setupSessions.known(known.sessionId, hash, now);
    if (session === null || now - (session.finishedAt ?? 0) >= repeatedForMs) return null;
    const ending = endingOf(world, session);
    if (ending !== null) return ending.identity === identity ? leadAgain(world, session, ending) : null;
    if (clock.monotonic() - from >= awaitedForMs) return null;
    await sleep(clock, lookMs);
  }
}

async function leadAgain(
  world: World,
  session: SetupSession,
  { code, next }: Ending,
): Promise<string | null> {
  if (!(await mayReturn(world, session))) return null;
  if (code === null) return next;
  const { accountId } = session;
  return (await world.stores.channels.reservedBy({ hash: code, accountId }, world.clock.now())) ? next : null;
}

function endingOf(world: World, { id, ending }: SetupSession): Ending | null {
  if (ending === null) return null;
  return JSON.parse(world.sealer.openText(ending, sealContext.choiceEnding(id)));
}

/** Never throws: the person must be redirected, and only a repetition needs it. */
export async function keepEnding(world: World, session: SetupSession, ending: Ending): Promise<void> {
  const { id } = session;
  try {
    const sealed = world.sealer.sealText(JSON.stringify(ending), sealContext.choiceEnding(id));
    await world.stores.setupSessions.noteEnding(session, sealed);
  } catch (thrown) {
    world.log.warn({ session: id, error: asError(thrown) }, 'setup.ending-not-kept');
  }
}
