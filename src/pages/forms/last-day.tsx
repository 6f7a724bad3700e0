/** A field for the last day on which something holds. */
import type { VNode } from 'preact';
import { dayMs } from '../../kernel/clock.ts';
import { fieldFault } from '../../kernel/faults.ts';
import type { Problems } from './problems.ts';

/** Where its problem stands, as the API names the field. */
const field = 'expires_at';

interface LastDayProps {
  hint: string;
  /** As `endOfDay` reads it; '' for none. */
  value: string;
  problems: Problems;
}

export function LastDay({ hint, value, problems }: LastDayProps): VNode {
  const wrong = problems.fields[field];
  return (
    <div class="field">
      <label for="ends_on">Last day (UTC)</label>
      <p class="hint" id="ends_on-hint">
        {hint}
      </p>
      <input
        type="date"
        id="ends_on"
        name="ends_on"
        value={value}
        aria-invalid={wrong === undefined ? undefined : 'true'}
        autofocus={wrong !== undefined}
        aria-describedby={wrong === undefined ? 'ends_on-hint' : 'ends_on-hint expires_at-wrong'}
      />
      {wrong === undefined ? null : (
        <p class="wrong" id="expires_at-wrong">
          {wrong}
        </p>
      )}
    </div>
  );
}

/** The end of the day that was given, in ms; null: none was. Throws 422 `validation` for a text that no browser's field can send. */
export function endOfDay(day: string): number | null {
  if (day === '') return null;
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(start)) throw fieldFault(['body', field], 'Use a day: 2027-01-31, say.');
  return start + dayMs;
}

/** The day that ends at `end` (ms), as the field shows it. */
export function lastDayOf(end: number): string {
  return new Date(end - 1).toISOString().slice(0, 10);
}
