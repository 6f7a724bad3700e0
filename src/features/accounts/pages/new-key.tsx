/** The form for a new key. */
import type { VNode } from 'preact';
import { scopeMeanings, scopes } from '../../../rules/scopes.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { endOfDay, LastDay } from '../../../pages/forms/last-day.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { keysPath } from '../../../pages/paths.ts';
import { maxKeyName } from '../keys.ts';
import type { KeyTerms } from '../keys.ts';

interface NewKeyProps {
  csrf: string;
  problems: Problems;
  /** The form that was refused; null: the first time. */
  typed: ReadForm | null;
}

export function NewKeyForm({ csrf, problems, typed }: NewKeyProps): VNode {
  return (
    <Form action={keysPath} csrf={csrf} class="narrow">
      <Alert problems={problems} />
      <Field
        name="name"
        label="Name"
        hint="What will use it: “shop, production”, say."
        maxLength={maxKeyName}
        value={typed?.text('name')}
        problems={problems}
      />
      <ScopeFields problems={problems} chosen={typed?.all('scope') ?? ['admin']} />
      <LastDay
        hint="The key is refused after this day. Empty: it has no end."
        value={typed?.text('ends_on') ?? ''}
        problems={problems}
      />
      <button>Make a key</button>
    </Form>
  );
}

/** Of the first box, when none is checked. */
const marked = { 'aria-invalid': 'true', 'aria-describedby': 'scopes-wrong', autofocus: true } as const;

function ScopeFields({ problems, chosen }: { problems: Problems; chosen: readonly string[] }): VNode {
  const isWrong = problems.fields['scopes'] !== undefined;
  return (
    <fieldset>
      <legend>It may</legend>
      <Wrong name="scopes" problems={problems} />
      {scopes.map((scope, i) => (
        <label class="check">
          <input
            type="checkbox"
            name="scope"
            value={scope}
            checked={chosen.includes(scope)}
            {...(i === 0 && isWrong ? marked : {})}
          />
          <span>
            <code>{scope}</code> {scopeMeanings[scope]}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Wrong({ name, problems }: { name: string; problems: Problems }): VNode | null {
  const wrong = problems.fields[name];
  return wrong === undefined ? null : (
    <p class="wrong" id={`${name}-wrong`}>
      {wrong}
    </p>
  );
}

/** Throws 422 `validation` for a day that no browser's field can send. */
export function readTerms(form: ReadForm): KeyTerms {
  const given = form.all('scope');
  return { scopes: scopes.filter((scope) => given.includes(scope)), endsAt: endOfDay(form.text('ends_on')) };
}
