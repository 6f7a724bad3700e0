import type { ComponentChildren, PartialInputHTMLAttributes, VNode } from 'preact';
import type { Problems } from './problems.ts';

interface FieldProps {
  name: string;
  label: string;
  problems: Problems;
  type?: 'text' | 'email' | 'password' | 'url';
  value?: string;
  /** Shown above the field: what to type. */
  hint?: ComponentChildren;
  /** Not `off` where people write: a browser that goes back to the form leaves such a field empty. */
  autocomplete?: string;
  required?: boolean;
  placeholder?: string;
  maxLength?: number;
  /** Number of lines; makes a text area. */
  rows?: number;
  mono?: boolean;
}

type InputProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, 'type' | 'role' | 'list'>;

/** One element per type, because the renderer's types need a literal type. */
function Input({ type, ...rest }: InputProps & { type: NonNullable<FieldProps['type']> }): VNode {
  if (type === 'email') return <input type="email" {...rest} />;
  if (type === 'password') return <input type="password" {...rest} />;
  return type === 'url' ? <input type="url" {...rest} /> : <input type="text" {...rest} />;
}

/** A labelled field; its error is shown below and read out with it. */
export function Field(props: FieldProps): VNode {
  const { name, label, problems, hint, required = true, rows, type = 'text', mono = false, ...input } = props;
  const common = {
    ...input,
    ...described(props),
    required,
    class: mono ? 'mono' : undefined,
    // The text direction follows the letters that are typed.
    dir: mono || type !== 'text' ? undefined : ('auto' as const),
  };
  return (
    <Labelled name={name} label={label} hint={hint} problems={problems}>
      {rows === undefined ? <Input type={type} {...common} /> : <textarea rows={rows} {...common} />}
    </Labelled>
  );
}

type LabelledProps = Pick<FieldProps, 'name' | 'label' | 'hint' | 'problems'>;

/** A field for a whole number from 0 to `max`. */
export function NumberField({ value, max, ...props }: LabelledProps & { value: string; max: number }): VNode {
  return (
    <Labelled {...props}>
      <input type="number" {...described(props)} min={0} max={max} step={1} value={value} />
    </Labelled>
  );
}

export function FileField(props: LabelledProps): VNode {
  return (
    <Labelled {...props}>
      <input type="file" {...described(props)} />
    </Labelled>
  );
}

/** An input between its label and what is wrong with it. */
function Labelled({
  name,
  label,
  hint,
  problems,
  children,
}: LabelledProps & { children: ComponentChildren }): VNode {
  const wrong = problems.fields[name];
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {wrong === undefined ? null : (
        <p class="wrong" id={`${name}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  );
}

/** What ties an input to the texts of its `Labelled`. */
function described({ name, hint, problems }: LabelledProps) {
  const isWrong = problems.fields[name] !== undefined;
  const texts = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-wrong`] : [])];
  return {
    id: name,
    name,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    // If several fields are wrong, the browser focuses the first.
    autofocus: isWrong,
    'aria-describedby': texts.length === 0 ? undefined : texts.join(' '),
  };
}

/** Problems of the form as a whole, read out when the page loads. */
export function Alert({ problems }: { problems: Problems }): VNode | null {
  const hasFields = Object.keys(problems.fields).length > 0;
  if (problems.all === null && !hasFields) return null;
  return (
    <p class="alert" role="alert" tabindex={-1} autofocus={!hasFields}>
      {problems.all ?? 'Please look at what is marked.'}
      {problems.details == null ? null : <small class="details">Details: {problems.details}</small>}
    </p>
  );
}

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

export function TimeField({ name, label, value }: { name: string; label: string; value: string }): VNode {
  // A day alone, of an older address, is no value of such a field.
  const shown = value.length === 'yyyy-mm-dd'.length ? `${value}T00:00` : value;
  return (
    <div class="choice">
      <label for={name}>{label}</label>
      <input id={name} name={name} type="datetime-local" value={shown} />
    </div>
  );
}
