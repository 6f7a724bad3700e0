import type { VNode } from 'preact';
import { Choice } from '../forms/choice.tsx';
import { Field } from '../forms/field.tsx';
import type { Problems } from '../forms/problems.ts';
import { buttonField, buttonTypes } from './buttons.ts';
import type { TypedButton } from './buttons.ts';

interface ButtonsProps {
  buttons: readonly TypedButton[];
  problems: Problems;
}

/** Closed if there are no buttons, as in most templates. */
export function ButtonFields({ buttons, problems }: ButtonsProps): VNode {
  const isUsed = buttons.some(({ type }) => type !== '');
  return (
    <details class="more-fields" open={isUsed || undefined}>
      <input type="hidden" name="buttons" value="shown" />
      <summary>Buttons (may be left out)</summary>
      {problems.fields['buttons'] === undefined ? null : <p class="wrong">{problems.fields['buttons']}</p>}
      {buttons.map((button, row) => (
        <ButtonRow button={button} row={row} problems={problems} />
      ))}
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
    autocomplete: 'off',
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
