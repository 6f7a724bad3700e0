/** What other features call. */
export type { QuarantinedItem } from './entity.ts';
export { dropQuarantined, listQuarantine, quarantine, retryQuarantined } from './quarantine-items.ts';
