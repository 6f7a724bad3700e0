/** Fills the buttons that take a value. */
import type { FieldError } from '../../kernel/faults.ts';
import { checkUrlValue, valueProblem } from './fill-values.ts';
import type { FilledButton } from './filled.ts';
import { maxErrors } from './filled.ts';
import type { ButtonPart } from './parts.ts';

type Errors = FieldError[];

/** `code`: the body's first value; a one-time code fills the button as well as the text. [upstream §3.2] */
export function fillButtons(
  buttons: readonly ButtonPart[],
  given: readonly { index: number; value: string }[],
  code: string | null,
  errors: Errors,
): FilledButton[] {
  const values = new Map<number, string>();
  for (const [place, { index, value }] of given.entries()) {
    const problem = buttonProblem(
      buttons.find((button) => button.index === index),
      value,
      values.has(index),
      code,
    );
    const loc = ['body', 'variables', 'buttons', place];
    if (problem !== null) errors.push({ loc, type: 'value_error', msg: `Value error, ${problem}` });
    else values.set(index, value);
    if (errors.length >= maxErrors) break;
  }
  const refused = new Set(given.map(({ index }) => index));
  return buttons.flatMap(({ index, type, fills, isNeeded, isCode }) => {
    const value = values.get(index) ?? (isCode ? (code ?? undefined) : undefined);
    if (value !== undefined) return [{ index, fills, value }];
    if (isNeeded && !refused.has(index) && !isCode)
      errors.push({
        loc: ['body', 'variables', 'buttons'],
        type: 'missing',
        msg: `Field required: a value for the ${type} button with index ${index}`,
      });
    return [];
  });
}

function buttonProblem(
  button: ButtonPart | undefined,
  value: string,
  isTwice: boolean,
  code: string | null,
): string | null {
  if (button === undefined) return 'the template has no button with this index that takes a value';
  if (isTwice) return 'a button can have only one value';
  if (button.isCode && value !== code) return 'the button must have the same code as the body';
  return button.fills === 'quick_reply' || button.fills === 'flow'
    ? valueProblem(value)
    : checkUrlValue(value, button.fills);
}
