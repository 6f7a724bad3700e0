/** The buttons in a template's form, converted from and to the API's. */
import { isDeepStrictEqual } from 'node:util';
import { placeholdersIn, readType } from '../../../rules/templates/parts.ts';
import type { Template } from '../../../rules/templates/template.ts';
import type { Json } from '../../../kernel/json.ts';
import { asList, asText, recordsIn } from '../../../kernel/json.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { VNode } from 'preact';
import { Choice, Field } from '../../../pages/forms/field.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';

/** A row of the form; without a button `type` is ''. */
export interface TypedButton {
  type: string;
  text: string;
  /** URL, phone number or code. */
  value: string;
  /** Example for the URL's variable. */
  example: string;
}

/** The form has fewer rows than the ten that the API allows. */
const rowCount = 4;

export const noButtons: readonly TypedButton[] = Array.from({ length: rowCount }, () => ({
  type: '',
  text: '',
  value: '',
  example: '',
}));

const buttonTypes = [
  ['', 'None'],
  ['QUICK_REPLY', 'Quick reply'],
  ['URL', 'Web address'],
  ['PHONE_NUMBER', 'Phone number'],
  ['COPY_CODE', 'Code to copy'],
] as const;

export function buttonsIn(form: ReadForm): TypedButton[] {
  return noButtons.map((_, row) => {
    const said = (part: keyof TypedButton): string => form.text(buttonField(row, part));
    return { type: said('type'), text: said('text'), value: said('value'), example: said('example') };
  });
}

function buttonField(row: number, part: keyof TypedButton): string {
  return `button-${row + 1}-${part}`;
}

/** The buttons as the API takes them, without empty rows. */
export function toButtons(typed: readonly TypedButton[]): Json[] {
  return usedRows(typed).map(({ button }) => toButton(button));
}

function usedRows(typed: readonly TypedButton[]): { button: TypedButton; row: number }[] {
  return typed.map((button, row) => ({ button, row })).filter(({ button }) => button.type !== '');
}

function toButton({ type, text, value, example }: TypedButton): Json {
  if (type === 'COPY_CODE') return { type, example: value };
  if (type === 'PHONE_NUMBER') return { type, text, phone_number: value };
  if (type !== 'URL') return { type, text };
  return { type, text, url: value, ...(placeholdersIn(value).length === 0 ? {} : { example: [example] }) };
}

/** The buttons as rows; null: the form can't represent all of them. */
export function toTypedButtons(buttons: readonly Json[]): TypedButton[] | null {
  if (buttons.length > rowCount) return null;
  const rows = noButtons.map((none, row) => {
    const button = buttons[row];
    return button === undefined ? none : toRow(button);
  });
  return isDeepStrictEqual(toButtons(rows), buttons) ? rows : null;
}

function toRow(button: Json): TypedButton {
  const type = readType(button);
  const example = asText(button['example']) ?? asText(asList(button['example'])[0]) ?? '';
  const value = asText(button['url']) ?? asText(button['phone_number']) ?? example;
  return { type, text: asText(button['text']) ?? '', value, example: type === 'URL' ? example : '' };
}

/** The field of the `at`-th button that a refusal is about; null: it is about all buttons, their kinds or their order. */
export function fieldOfButton(typed: readonly TypedButton[], at: number, member: string): string | null {
  const used = usedRows(typed)[at];
  if (used === undefined || member === '' || member === 'type') return null;
  const isExample = member === 'example' && used.button.type === 'URL';
  return buttonField(used.row, isExample ? 'example' : member === 'text' ? 'text' : 'value');
}

interface ButtonsProps {
  buttons: readonly TypedButton[];
  problems: Problems;
}

/** Closed if there are no buttons, as in most templates. */
export function ButtonFields({ buttons, problems }: ButtonsProps): VNode {
  const isUsed = buttons.some(({ type }) => type !== '');
  return (
    <details class="more-fields" open={isUsed || undefined}>
      <summary>Buttons (optional)</summary>
      {problems.fields['buttons'] === undefined ? null : (
        <p class="wrong" tabindex={-1} autofocus>
          {problems.fields['buttons']}
        </p>
      )}
      {buttons.map((button, row) => (
        <ButtonRow button={button} row={row} problems={problems} />
      ))}
      <input type="hidden" name="buttons" value="shown" />
    </details>
  );
}

interface RowProps {
  button: TypedButton;
  row: number;
  problems: Problems;
}

function ButtonRow({ button, row, problems }: RowProps): VNode {
  const of = (part: keyof TypedButton) => ({
    name: buttonField(row, part),
    value: button[part],
    required: false,
    problems,
  });
  return (
    <fieldset>
      <legend>Button {row + 1}</legend>
      <Choice name={buttonField(row, 'type')} label="Kind" options={buttonTypes} chosen={button.type} />
      <Field {...of('text')} label="Text" maxLength={25} />
      <Field
        {...of('value')}
        label="Address, number or code"
        hint="An address may end with {{1}}; a quick reply has none."
        mono
      />
      <Field {...of('example')} label="Example of the whole address" mono />
    </fieldset>
  );
}

/** The stored buttons, in upstream's shape. */
export function storedButtons({ components }: Pick<Template, 'components'>): Json[] {
  return components
    .filter((part) => readType(part) === 'BUTTONS')
    .flatMap((part) => recordsIn(part['buttons']));
}

/** Labels of a template's buttons, as stored by the platform; without a text, the button's type. */
export function buttonNames(template: Pick<Template, 'components'>): string[] {
  return storedButtons(template).map(
    (button) => asText(button['text']) ?? readType(button).toLowerCase().replaceAll('_', ' '),
  );
}
