/** Fields of the form that sends, named as in the body of the API's call. */
import type { sendWays } from '../send-ways.ts';

/** A field, named by its path in the body. */
export interface SendField {
  name: string;
  label: string;
  /** What the call shows until something is typed; '': the call lacks it. */
  example: string;
  hint?: string;
  /** Absent: a line of text. */
  is?: 'lines' | 'url' | 'check' | 'media-type' | 'file';
  isOptional?: true;
  maxLength?: number;
}

/** Values of the fields by name. */
export type TextOf = (name: string) => string;

export interface SendKind {
  /** In the address of its form. */
  name: string;
  label: string;
  way: Exclude<keyof typeof sendWays, 'template'>;
  fields: readonly SendField[];
  /** Its fields below those that every sort has. */
  last?: readonly SendField[];
  /** The members that only this sort has. */
  body: (text: TextOf) => Readonly<Record<string, unknown>>;
}

export const line = (
  name: string,
  label: string,
  example: string,
  more: Partial<SendField> = {},
): SendField => ({
  name,
  label,
  example,
  ...more,
});
export const optional = { isOptional: true } as const;
/** A text that people read. */
export const said = line('text', 'Text', '…', { is: 'lines', maxLength: 4_096 });

/** Those of the fields that are filled in. */
export function some(text: TextOf, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, text(name)]).filter(([, value]) => value !== ''));
}

/** A check that is set. */
export function flag(text: TextOf, name: string): Record<string, true> {
  return text(name) === '' ? {} : { [name]: true };
}
