/** The variables of a template as form fields, named as in the API's errors. */
import { readParts } from '../../../rules/templates/parts.ts';
import type { HeaderPart, Variable } from '../../../rules/templates/parts.ts';
import type { GivenTexts, GivenVariables } from '../../../rules/templates/filled.ts';
import type { Template } from '../../../rules/templates/template.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';

export interface VariableField {
  /** `variables.body.0`, `variables.header.image`, … */
  name: string;
  label: string;
  example: string | null;
}

interface ButtonField extends VariableField {
  index: number;
}

interface SendFields {
  header: readonly VariableField[];
  body: readonly VariableField[];
  buttons: readonly ButtonField[];
}

export function sendFields(template: Template): SendFields {
  const { header, body, buttons } = readParts(template);
  return {
    header: header === null ? [] : headerFields(header),
    body: body.map((variable) => textField('body', variable)),
    // A button that repeats the body's code gets it from there; buttons without a variable need no field.
    buttons: buttons
      .filter(({ isNeeded, isCode }) => isNeeded && !isCode)
      .map(({ index, type, example }, at) => ({
        index,
        name: `variables.buttons.${at}`,
        label: `Button ${index + 1} (${type.toLowerCase().replaceAll('_', ' ')})`,
        example,
      })),
  };
}

function headerFields({ format, variables }: HeaderPart): VariableField[] {
  if (format === 'TEXT') return variables.map((variable) => textField('header', variable));
  const of = (label: string, at: number): VariableField => ({
    name: `variables.header.${at}`,
    label: `Header: ${label}`,
    example: null,
  });
  return variables.map(({ name }, at) =>
    of(
      format === 'LOCATION'
        ? `${name}`
        : `address of the ${format.toLowerCase()}, which the platform fetches`,
      at,
    ),
  );
}

function textField(part: 'header' | 'body', { position, name, example }: Variable): VariableField {
  return {
    name: `variables.${part}.${name ?? position - 1}`,
    label: `${part === 'body' ? 'Body' : 'Header'}: {{${name ?? position}}}`,
    example,
  };
}

/** The values as `send-template` takes them; null: the template has no variables. */
export function givenIn(form: Pick<ReadForm, 'text' | 'exact'>, template: Template): GivenVariables | null {
  const fields = sendFields(template);
  const value = ({ name }: VariableField): string => form.text(name);
  const given = {
    ...(fields.header.length === 0 ? {} : { header: texts(fields.header, value) }),
    ...(fields.body.length === 0 ? {} : { body: texts(fields.body, value) }),
    ...(fields.buttons.length === 0
      ? {}
      : { buttons: fields.buttons.map((button) => ({ index: button.index, value: value(button) })) }),
  };
  return Object.keys(given).length === 0 ? null : given;
}

/** An object if the variables have names, else a list. */
function texts(fields: readonly VariableField[], value: (field: VariableField) => string): GivenTexts {
  const names = fields.map(({ name }) => name.split('.').slice(2).join('.'));
  if (names.every((name) => /^\d+$/.test(name))) return fields.map(value);
  return Object.fromEntries(fields.map((field, at) => [names[at] ?? '', value(field)]));
}
