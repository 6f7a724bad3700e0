/** What other features call: the entry of a change, and what it shows. */
export { audit, auditExport } from './audit.ts';
export type { Snapshot } from './audit.ts';
export { mostAudited } from './entity.ts';
export type { AuditEntry, Shown } from './entity.ts';
export { listAudit, pageAudit } from './log.ts';
export { marked, markedUrl } from './marked.ts';
export { exportAudit } from './pages/export.ts';
export {
  accountField,
  auditFilter,
  auditFilterIn,
  auditFilterOf,
  auditParts,
  Change,
  noEntry,
} from './pages/list.tsx';
