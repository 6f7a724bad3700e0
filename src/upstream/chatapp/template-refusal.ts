import type { Fault } from '../../kernel/faults.ts';
import { toCallFault } from '../call-refusal.ts';
import type { OwnCodes } from '../call-refusal.ts';
import type { GraphError } from '../graph-error.ts';

/** Codes that only calls about templates have, and of the limit on template management. [upstream §6.4] */
const ownCodes: OwnCodes = { permanent: new Set([192, 200002]), limits: new Set([80008]) };

/** Fault of a refusal, with upstream's text for users and its code. [upstream §6.4: show title and message] */
export function toTemplateFault(
  refused: Parameters<typeof toCallFault>[0],
  secrets: readonly string[],
): Fault {
  return toCallFault(refused, secrets, ownCodes);
}

/** Deleted already, or never existed: nothing is left to delete. */
export function isUnknownTemplate({ code, subcode }: GraphError): boolean {
  return code === 100 && subcode === 2593002;
}

/** The object does not exist, or may not be seen: for a template that was deleted meanwhile upstream may say no more. [upstream §6.3] */
export function mayBeUnknownTemplate({ code, subcode }: GraphError): boolean {
  return code === 100 && subcode === 33;
}
