import { readType } from '../../domain/templates/parts.ts';
import type { Template } from '../../domain/templates/template.ts';
import { asList, asRecord, asText } from '../../kernel/json.ts';

/** What stands on the buttons of a template, as the platform has it; of one without words its kind. */
export function buttonNames({ components }: Pick<Template, 'components'>): string[] {
  const part = components.find((component) => readType(component) === 'BUTTONS');
  return asList(part?.['buttons']).map((each) => {
    const button = asRecord(each) ?? {};
    return asText(button['text']) ?? readType(button).toLowerCase().replaceAll('_', ' ');
  });
}
