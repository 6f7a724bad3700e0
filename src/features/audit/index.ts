/** What other features call: the entry of a change, and what it shows. */
export { audit } from './audit.ts';
export type { Snapshot } from './audit.ts';
export { marked, markedUrl } from './marked.ts';
export { mostAudited } from './entity.ts';
export type { AuditEntry, Shown } from './entity.ts';
export { listAudit } from './log.ts';
