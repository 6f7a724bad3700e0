import type { VNode } from 'preact';

const dayMs = 86_400_000;

/** The day (UTC) in the URL; anything else is ignored. */
export function dayIn(query: URLSearchParams): { since: number | null; until: number | null } {
  const day = query.get('day') ?? '';
  const since = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(since) ? { since: null, until: null } : { since, until: since + dayMs };
}

/** The day as in the URL and the field; '' for none. */
export function writeDay(since: number | null): string {
  return since === null ? '' : new Date(since).toISOString().slice(0, 10);
}

export function DayField({ value }: { value: string }): VNode {
  return (
    <div class="choice">
      <label for="day">Day (UTC)</label>
      <input id="day" name="day" type="date" value={value} />
    </div>
  );
}
