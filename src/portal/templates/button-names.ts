import { readType } from '../../domain/templates/parts.ts';
import type { Template } from '../../domain/templates/template.ts';
import { asText } from '../../kernel/json.ts';
import { storedButtons } from './draft.ts';

/** Labels of a template's buttons, as stored by the platform; without a text, the button's type. */
export function buttonNames(template: Pick<Template, 'components'>): string[] {
  return storedButtons(template).map(
    (button) => asText(button['text']) ?? readType(button).toLowerCase().replaceAll('_', ' '),
  );
}
