/** What a setting of a channel is: everything about it that calls, the audit log and the portal need follows from its descriptor. */
import type { Settings } from '../../rules/channels/settings.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { count, flag } from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import type { Shown } from '../audit/index.ts';

/** A name in code as the API writes it: `echoStatuses` is `echo_statuses`. */
type NameInApi<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${NameInApi<Rest>}`
  : '';

export interface Setting<K extends keyof Settings = keyof Settings> {
  name: NameInApi<K>;
  /** In requests; the portal's form is checked by it too. */
  given: JsonSchema;
  /** Where a client gives it. [spec: ExchangeCodeRequest, ChannelUpdateRequest] */
  givenTo: 'PATCH' | 'PATCH and exchange-code';
  /** In the example of PATCH; undefined: not there. */
  example: unknown;
  /** In the answer that shows a channel. */
  shown: { name: string; schema: JsonSchema; of: (value: Settings[K]) => unknown };
  /** In the audit log, under `name`: what tells two values apart without revealing a secret. */
  audited: (value: Settings[K]) => Shown[string];
  control: Control;
}

/** In the portal's form of a channel. `elsewhere`: on a page of its own. `each`: begins the names of a choice's boxes. */
export type Control =
  | { kind: 'elsewhere' }
  | (Labelled & { kind: 'flag' })
  | (Labelled & { kind: 'number'; hint: string; max: number })
  | (Labelled & {
      kind: 'text';
      hint: string;
      mono?: true;
      placeholder?: string;
      readersSee?: (value: string) => string;
    })
  | { kind: 'choices'; part: FormPart; each: string; options: (type: ChannelType) => readonly Choice[] };

interface Labelled {
  part: FormPart;
  label: string;
}

export type FormPart = 'receiver' | 'events' | 'kept';

/** `isOnAtFirst`: while the setting is null. */
interface Choice {
  value: string;
  label: string;
  isOnAtFirst: boolean;
}

type NamesOf<V> = { [K in keyof Settings]: Settings[K] extends V ? K : never }[keyof Settings];

interface Told extends Labelled {
  /** Descriptions of the field in requests and in answers. */
  given: string;
  shown: string;
}

/** A setting that is on or off. */
export function flagSetting<K extends NamesOf<boolean>>(
  name: NameInApi<K>,
  { given, shown, ...control }: Told,
): Setting<K> {
  return {
    ...plain(name, { ...flag, description: given }, { ...flag, description: shown }),
    example: false,
    control: { kind: 'flag', ...control },
  };
}

/** A whole number from 0 to `max`. */
export function countSetting<K extends NamesOf<number>>(
  name: NameInApi<K>,
  { given, shown, ...control }: Told & { hint: string; max: number },
): Setting<K> {
  const schema = { ...count, minimum: 0, maximum: control.max, description: given };
  return {
    ...plain(name, schema, { ...count, description: shown }),
    example: 0,
    control: { kind: 'number', ...control },
  };
}

/** Given to PATCH only, and shown and recorded as it is. */
function plain<K extends NamesOf<boolean | number>>(
  name: NameInApi<K>,
  given: JsonSchema,
  shown: JsonSchema,
) {
  const asItIs = (value: Settings[K]) => value;
  const givenTo = 'PATCH' as const;
  return { name, given, givenTo, shown: { name, schema: shown, of: asItIs }, audited: asItIs };
}
