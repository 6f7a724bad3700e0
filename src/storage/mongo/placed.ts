/** Statements of a batch, each with the work that it is of; what a server's reply to them means. */
import type { Commands, Reply } from './commands.ts';
import { Interrupted, Refused, isTransientCode } from './errors.ts';
import type { QueuedWork } from './lane.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** Where a batch is written. */
export interface BatchTarget {
  /** Name of the collection, for the log. */
  name: string;
  commands: Commands;
  retryPolicy: RetryPolicy;
}

/** A statement with its origin: its result goes to index `at` of the results of `of`. */
export interface Placed<T> {
  write: T;
  of: QueuedWork;
  at: number;
}

export function firstDeadline(placed: readonly Placed<unknown>[]): number {
  return Math.min(...placed.map(({ of }) => of.deadline));
}

/** A server that changes its role may report that per statement: throws Interrupted, so that the batch is retried. */
export function insistOn(reply: Reply): Reply {
  const interrupted = reply.writeErrors.find(({ code }) => isTransientCode(code));
  if (interrupted !== undefined) throw new Interrupted(interrupted.code);
  return reply;
}

export function refusedBy(target: BatchTarget, code: number): Refused {
  return new Refused(`MongoDB refused a write to ${target.name}: ${code}`, 'no');
}
