import { readType } from '../../domain/templates/parts.ts';
import type { Template } from '../../domain/templates/template.ts';
import { asText } from '../../kernel/json.ts';
import { storedButtons } from './draft.ts';

/** What stands on the buttons of a template, as the platform has it; of one without words its kind. */
export function buttonNames(template: Pick<Template, 'components'>): string[] {
  return storedButtons(template).map(
    (button) => asText(button['text']) ?? readType(button).toLowerCase().replaceAll('_', ' '),
  );
}
