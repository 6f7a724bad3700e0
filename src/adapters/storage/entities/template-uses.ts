import type { Use } from '../../../domain/templates/limits.ts';
import { entityBy } from './entity.ts';
import { integer, json, text } from './fields.ts';

/** Uses of one counter; `version` makes its writes compare-and-set. */
export interface TemplateUses {
  key: string;
  uses: readonly Use[];
  usedAt: number;
  version: number;
}

export const templateUses = entityBy<TemplateUses>('template_uses', ['key'], {
  fields: { key: text(), uses: json(), usedAt: integer(), version: integer({ before: 0 }) },
  indexes: { byAge: { on: ['usedAt'], file: 'template_uses_by_age', database: 'age' } },
});
