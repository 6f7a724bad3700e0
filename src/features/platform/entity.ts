import type { AppNote } from './port.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, jsonOrNull, text } from '../../storage/entities/fields.ts';

export const appNotes = entity<AppNote>('app_notes', {
  fields: { id: text(), at: integer(), said: jsonOrNull<unknown>({ isForeign: true }) },
  indexes: {},
});
