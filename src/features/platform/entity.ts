import { entity } from '../../storage/entities/entity.ts';
import { integer, jsonOrNull, text } from '../../storage/entities/fields.ts';

export const appNotes = entity<AppNote>('app_notes', {
  fields: { id: text(), at: integer(), said: jsonOrNull<unknown>({ isForeign: true }) },
  indexes: {},
});

export interface AppNote {
  id: string;
  /** When it was learned, ms. */
  at: number;
  /** JSON; what it holds depends on `id`. Never a secret. */
  said: unknown;
}
