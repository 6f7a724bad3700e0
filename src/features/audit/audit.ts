/**
 * The audit log: every change by a person, an operator or, if it changes settings, an API key. The function that makes a change writes
 * its entry where the change is made, with the states that the write itself found and left: others may change the object at the same
 * moment. So a refused change has no entry.
 */
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Stores } from '../stores.ts';
import type { UseCaseDeps } from '../world.ts';
import type { AuditEntry, Shown } from './entity.ts';

/** The object of an entry. `shown` null: nothing of it can be shown. */
export interface Snapshot {
  accountId: string | null;
  subject: string | null;
  shown: Shown | null;
}

type AuditWorld = Pick<UseCaseDeps, 'actor' | 'auditFolding' | 'clock' | 'counters' | 'log'> & {
  stores: Pick<Stores, 'audit'>;
};

/**
 * Writes the entry of a change by `deps.actor`. `before` null: the object did not exist; `after` null: it is gone. Writes nothing if no
 * shown field differs. Never throws, since the change is made: a failure is counted, and goes to the service's log as an error.
 */
export async function audit(
  deps: AuditWorld,
  action: string,
  before: Snapshot | null,
  after: Snapshot | null,
): Promise<void> {
  try {
    const entry = makeEntry(deps, action, before, after);
    if (entry !== null) await deps.stores.audit.add(deps.auditFolding.fold(entry));
  } catch (thrown) {
    deps.counters.increment('audit_not_recorded_total');
    deps.log.error({ action, error: asError(thrown) }, 'audit.not-recorded');
  }
}

/** null if nothing is different. */
function makeEntry(
  { actor, clock }: AuditWorld,
  action: string,
  was: Snapshot | null,
  is: Snapshot | null,
): AuditEntry | null {
  const about = is ?? was;
  if (about === null) return null;
  const { before, after } = changedIn(was?.shown ?? null, is?.shown ?? null);
  if (before !== null && after !== null && Object.keys(after).length === 0) return null;
  return {
    id: newId(),
    accountId: about.accountId,
    actor: actor?.kind ?? 'service',
    actorName: actor?.name ?? null,
    action,
    subject: about.subject,
    before,
    after,
    address: actor?.address ?? null,
    requestId: actor?.requestId ?? null,
    createdAt: clock.now(),
    times: 1,
    lastAt: clock.now(),
  };
}

/** The fields that differ between before and after. */
function changedIn(before: Shown | null, after: Shown | null): { before: Shown | null; after: Shown | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const only = (all: Shown): Shown => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
  return { before: only(before), after: only(after) };
}
