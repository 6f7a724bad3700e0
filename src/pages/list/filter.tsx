/** The filter of a list: its fields are read from the URL within bounds, and shown as a form that sends them again. */
import type { IncomingMessage } from 'node:http';
import type { ComponentChildren, VNode } from 'preact';
import { Choice, Field, TimeField } from '../forms/field.tsx';
import { Icon } from '../icon.tsx';
import { noProblems } from '../forms/problems.ts';
import { utc, zoneIn } from '../zone.ts';

export interface FilterField<V extends string = string> {
  /** null: nothing was typed, or no value of the field; the list is not filtered by it. */
  read: (typed: string) => V | null;
  /** `shown`: the value that was read, '' for none. */
  control: (name: string, shown: string) => VNode | null;
  /** Start or end of a span: the two stay on one line, after the other fields. */
  isOfSpan?: true;
}

/** Fields by their names in the URL. */
export type Filter = Readonly<Record<string, FilterField>>;

export type Asked<F extends Filter> = { readonly [Name in keyof F]: ReturnType<F[Name]['read']> };

export function readFilter<F extends Filter>(filter: F | undefined, query: URLSearchParams): Asked<F> {
  const read = ([name, field]: [string, FilterField]): unknown[] => [
    name,
    field.read((query.get(name) ?? '').trim()),
  ];
  const asked: Asked<F> = Object.fromEntries(Object.entries(filter ?? {}).map(read));
  return asked;
}

/** The filter as a query, without the fields that filter nothing. */
export function writeFilter(asked: Readonly<Record<string, string | null>>): string {
  const said = Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return new URLSearchParams(said).toString();
}

interface FormProps {
  path: string;
  filter: Filter;
  /** The filter as `writeFilter` writes it. */
  query: string;
}

export function FilterForm({ path, filter, query }: FormProps): VNode {
  const shown = new URLSearchParams(query);
  const fields = Object.entries(filter);
  const controlsOf = (some: typeof fields) =>
    some.map(([name, field]) => field.control(name, shown.get(name) ?? ''));
  const span = fields.filter(([, { isOfSpan }]) => isOfSpan);
  return (
    <FilterBar action={path} isOpen={query !== ''}>
      {controlsOf(fields.filter(([, { isOfSpan }]) => !isOfSpan))}
      {span.length === 0 ? null : <div class="span">{controlsOf(span)}</div>}
      <button class="quiet">Show</button>
    </FilterBar>
  );
}

interface BarProps {
  action: string;
  /** On a phone it is closed at first, so that the list begins on the first screen. */
  isOpen: boolean;
  children: ComponentChildren;
}

function FilterBar({ action, isOpen, children }: BarProps): VNode {
  return (
    <>
      <details class="filter-toggle" open={isOpen}>
        <summary class="button quiet">
          <Icon name="filter" />
          Filter
        </summary>
      </details>
      <form method="get" action={action} class="filter">
        {children}
      </form>
    </>
  );
}

/** `any`: the words for no choice. */
export function choiceField<V extends string>(
  label: string,
  any: string,
  options: readonly (readonly [value: V, words: string])[],
): FilterField<V> {
  return {
    read: (typed) => options.find(([value]) => value === typed)?.[0] ?? null,
    control: (name, shown) => (
      <Choice name={name} label={label} options={[['', any], ...options]} chosen={shown} />
    ),
  };
}

/** Options whose values are the words for them. */
export function asWords<V extends string>(values: readonly V[]): (readonly [V, V])[] {
  return values.map((value) => [value, value]);
}

interface TextProps {
  maxLength: number;
  placeholder?: string;
  autocomplete?: string;
  /** What the typed text stands for. */
  means?: (typed: string) => string;
}

/** A text for programs; longer ones are cut. */
export function textField(
  label: string,
  { maxLength, means = (typed) => typed, ...shape }: TextProps,
): FilterField {
  return {
    read: (typed) => means(typed.slice(0, maxLength)) || null,
    control: (name, value) => (
      <Field
        name={name}
        label={label}
        value={value}
        required={false}
        mono
        maxLength={maxLength}
        problems={noProblems}
        {...shape}
      />
    ),
  };
}

/** A value that a link brings and the form keeps. */
export function keptField(maxLength: number): FilterField {
  return {
    read: (typed) => typed.slice(0, maxLength) || null,
    control: (name, value) => (value === '' ? null : <input type="hidden" name={name} value={value} />),
  };
}

/** A time in the zone of the person, to the minute; it begins or ends a span. */
function timeField(label: string): FilterField {
  return {
    read: (typed) => (utc.read(typed) === null ? null : typed),
    control: (name, value) => <TimeField name={name} label={label} value={value} />,
    isOfSpan: true,
  };
}

/** The span of a list, in its URL: `from` that time on, before `to`. */
export const spanFields = { from: timeField('From'), to: timeField('To') };

interface Span {
  since: number | null;
  until: number | null;
}

/** Start and end of the span, ms; null: none. A day alone stands for its start, as in an address that somebody wrote by hand. */
export function spanOf(
  { request }: { request: Pick<IncomingMessage, 'headers'> },
  { from, to }: { from: string | null; to: string | null },
): Span {
  const zone = zoneIn(request);
  return { since: zone.read(from ?? ''), until: zone.read(to ?? '') };
}
