export { marked, markedUrl } from './marked.ts';
export type { Change, Snapshot } from './audited.ts';
export type { Shown } from './entity.ts';
