/** Boxes to check: one, and those of the events that a webhook gets. */
import type { VNode } from 'preact';
import { eventTable } from '../../rules/events/table.ts';
import type { EventType } from '../../rules/events/table.ts';
import type { ReadForm } from './form.tsx';

interface CheckProps {
  name: string;
  isOn: boolean;
  /** The word of the API. */
  code?: string;
  label: string;
}

export function Check({ name, isOn, code, label }: CheckProps): VNode {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={isOn} />
      <span>
        {code === undefined ? null : <code>{code}</code>} {label}
      </span>
    </label>
  );
}

const boxOf = (event: EventType): string => `event:${event}`;

interface EventChecksProps {
  events: readonly EventType[];
  /** Checked until something was typed. */
  chosen: readonly string[];
  typed: ReadForm | undefined;
}

export function EventChecks({ events, chosen, typed }: EventChecksProps): VNode {
  const isOn = (event: EventType): boolean =>
    typed === undefined ? chosen.includes(event) : typed.text(boxOf(event)) === 'on';
  return (
    <fieldset>
      <legend>Events</legend>
      {events.map((event) => (
        <Check name={boxOf(event)} isOn={isOn(event)} code={event} label={eventTable[event].label} />
      ))}
    </fieldset>
  );
}

/** Those that are checked in the form. */
export function checkedEvents(form: ReadForm, events: readonly EventType[]): EventType[] {
  return events.filter((event) => form.text(boxOf(event)) === 'on');
}
