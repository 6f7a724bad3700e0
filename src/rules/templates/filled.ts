/** A client's values for a template, and the filled template. */
import type { ButtonPart } from './parts.ts';

/** A list for positional templates, an object for named ones. [spec: Sending messages, `variables` shape] */
export type GivenTexts = readonly string[] | Readonly<Record<string, string>>;

export interface GivenVariables {
  header?: GivenTexts | null | undefined;
  body?: GivenTexts | null | undefined;
  buttons?: readonly { index: number; value: string }[] | null | undefined;
}

/** A template that must be looked up before it can be filled. */
export interface UnfilledTemplate {
  name: string;
  language: string;
  variables: GivenVariables | null;
}

/** `name` is null except in named templates. */
export interface TextParameter {
  type: 'text';
  name: string | null;
  text: string;
}

/** Value of a header. Upstream fetches the link, so the rules of `media_url` apply to it. */
export type HeaderParameter =
  | TextParameter
  | { type: 'image' | 'video' | 'document'; link: string }
  | { type: 'location'; latitude: string; longitude: string; name: string; address: string };

export interface FilledButton {
  /** From 0, over all buttons of the template. */
  index: number;
  fills: ButtonPart['fills'];
  value: string;
}

/** A template with values for its variables, in our words. A list is empty if the part has no variables. */
export interface FilledTemplate {
  name: string;
  language: string;
  header: readonly HeaderParameter[];
  body: readonly TextParameter[];
  buttons: readonly FilledButton[];
}
