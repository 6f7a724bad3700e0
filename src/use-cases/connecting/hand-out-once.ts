import { asError, Fault } from '../../kernel/faults.ts';
import { PermissionsDeclined } from '../ports/connecting.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { mayReturn } from './open-session.ts';
import type { SetupOutcome } from './reserve-asset.ts';

/** Finishes the session a setup URL stands for, for one caller; null for the others, and once a code was handed out. */
export async function takeSession(
  deps: UseCaseDeps,
  { id, tokenHash }: Pick<SetupSession, 'id' | 'tokenHash'>,
): Promise<SetupSession | null> {
  return deps.stores.setupSessions.finish(id, tokenHash, deps.clock.now());
}

/**
 * What comes of `connect` while the session of the setup URL is taken. Anything but a code opens that URL again: somebody who
 * declined, or gave up half way, may start over until it expires. [operator-interface §4] Never throws: the person must get
 * back to the client.
 */
export async function handOutOnce(
  deps: UseCaseDeps,
  taken: SetupSession,
  connect: () => Promise<SetupOutcome>,
): Promise<SetupOutcome> {
  const outcome = await connectIfAllowed(deps, taken, connect).catch((thrown: unknown) =>
    failed(deps, taken, thrown),
  );
  if (!('code' in outcome)) await reopen(deps, taken);
  return outcome;
}

/** The address is looked at once more: upstream may have taken long. */
async function connectIfAllowed(
  deps: UseCaseDeps,
  taken: SetupSession,
  connect: () => Promise<SetupOutcome>,
): Promise<SetupOutcome> {
  const outcome = await connect();
  return (await mayReturn(deps, taken)) ? outcome : { closed: true };
}

async function reopen(deps: UseCaseDeps, taken: SetupSession): Promise<void> {
  try {
    await deps.stores.setupSessions.reopen(taken);
  } catch (thrown) {
    deps.log.warn({ session: taken.id, error: asError(thrown) }, 'setup.not-reopened');
  }
}

function failed(deps: UseCaseDeps, { id }: SetupSession, thrown: unknown): SetupOutcome {
  if (thrown instanceof PermissionsDeclined) return declined(thrown);
  deps.log.warn({ session: id, error: asError(thrown) }, 'setup.failed');
  const isUpstream = thrown instanceof Fault && thrown.code === 'upstream_failed';
  return { refused: isUpstream ? 'upstream_failed' : 'temporarily_unavailable' };
}

/** [spec: Connecting a channel] Which of them, so that the person knows what to allow. */
function declined({ permissions }: PermissionsDeclined): SetupOutcome {
  const says = `These permissions were not allowed in the dialog of the platform: ${permissions.join(', ')}. Start the setup again and allow them.`;
  return { refused: 'access_denied', says };
}
