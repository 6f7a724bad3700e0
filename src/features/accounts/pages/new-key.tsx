/** The form for a new key. */
import type { VNode } from 'preact';
import { dayMs } from '../../../kernel/clock.ts';
import { fieldFault } from '../../../kernel/faults.ts';
import { scopeMeanings, scopes } from '../../../rules/scopes.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
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
        autocomplete="off"
        maxLength={maxKeyName}
        value={typed?.text('name')}
        problems={problems}
      />
      <ScopeFields problems={problems} chosen={typed?.all('scope') ?? ['admin']} />
      <EndField problems={problems} value={typed?.text('ends_on') ?? ''} />
      <button>Make a key</button>
    </Form>
  );
}

function ScopeFields({ problems, chosen }: { problems: Problems; chosen: readonly string[] }): VNode {
  return (
    <fieldset>
      <legend>It may</legend>
      {scopes.map((scope) => (
        <label class="check">
          <input type="checkbox" name="scope" value={scope} checked={chosen.includes(scope)} />
          <span>
            <code>{scope}</code> {scopeMeanings[scope]}
          </span>
        </label>
      ))}
      <Wrong name="scopes" problems={problems} />
    </fieldset>
  );
}

function EndField({ problems, value }: { problems: Problems; value: string }): VNode {
  const isWrong = problems.fields['expires_at'] !== undefined;
  return (
    <div class="field">
      <label for="ends_on">Last day (UTC)</label>
      <p class="hint" id="ends_on-hint">
        The key is refused after this day. Empty: it has no end.
      </p>
      <input
        type="date"
        id="ends_on"
        name="ends_on"
        value={value}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'ends_on-hint expires_at-wrong' : 'ends_on-hint'}
      />
      <Wrong name="expires_at" problems={problems} />
    </div>
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
  return { scopes: scopes.filter((scope) => given.includes(scope)), endsAt: endOf(form.text('ends_on')) };
}

/** The end of the day, in ms; null: no day. */
function endOf(day: string): number | null {
  if (day === '') return null;
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(start)) throw fieldFault(['body', 'expires_at'], 'Use a day: 2027-01-31, say.');
  return start + dayMs;
}
