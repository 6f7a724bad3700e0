import type { VNode } from 'preact';

interface ChoiceProps {
  name: string;
  label: string;
  /** Value, and the text that a person reads. */
  options: readonly (readonly [value: string, text: string])[];
  chosen: string;
}

/** A choice of one option. */
export function Choice({ name, label, options, chosen }: ChoiceProps): VNode {
  return (
    <div class="choice">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
