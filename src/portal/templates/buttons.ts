/** The buttons in a template's form, converted from and to the API's. */
import { isDeepStrictEqual } from 'node:util';
import { placeholdersIn, readType } from '../../domain/templates/parts.ts';
import type { Json } from '../../kernel/json.ts';
import { asList, asText } from '../../kernel/json.ts';
import type { ReadForm } from '../forms/read-form.ts';

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

export const buttonTypes = [
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

export function buttonField(row: number, part: keyof TypedButton): string {
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

/** The field of the `at`-th button that a refusal is about; null: the refusal is about all buttons. */
export function fieldOfButton(typed: readonly TypedButton[], at: number, member: string): string | null {
  const used = usedRows(typed)[at];
  if (used === undefined) return null;
  const part = member === 'text' || member === 'type' ? member : 'value';
  const isExample = member === 'example' && used.button.type === 'URL';
  return buttonField(used.row, isExample ? 'example' : part);
}
