/** The buttons that the form of a template holds, and what the API would be asked with them. */
import { isDeepStrictEqual } from 'node:util';
import { placeholdersIn, readType } from '../../domain/templates/parts.ts';
import type { Json } from '../../kernel/json.ts';
import { asList, asText } from '../../kernel/json.ts';
import type { ReadForm } from '../forms/read-form.ts';

/** A row of the form; `type` '': none. */
export interface TypedButton {
  type: string;
  text: string;
  /** Address, number or code. */
  value: string;
  /** Of the address's variable. */
  example: string;
}

/** The API takes ten. */
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

/** As the API takes them; those that are none are left out. */
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

/** The buttons as rows; null: the form has no place for all that is in them. */
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

/** The field that a refusal of the `at`-th button is about; null: it is about all of them. */
export function fieldOfButton(typed: readonly TypedButton[], at: number, member: string): string | null {
  const used = usedRows(typed)[at];
  if (used === undefined) return null;
  const part = member === 'text' || member === 'type' ? member : 'value';
  const isExample = member === 'example' && used.button.type === 'URL';
  return buttonField(used.row, isExample ? 'example' : part);
}
