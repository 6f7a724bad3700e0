/** What a client gives to fill a template with, and the template filled. */
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

/** `name` only in named templates. */
export interface TextParameter {
  type: 'text';
  name: string | null;
  text: string;
}

/** What fills a header that is no text. The link is one that upstream fetches: the rules of `media_url` hold for it. */
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

/** A template with its variables filled in, in our words; each list empty where there is nothing to fill. */
export interface FilledTemplate {
  name: string;
  language: string;
  header: readonly HeaderParameter[];
  body: readonly TextParameter[];
  buttons: readonly FilledButton[];
}

/** At most so many problems are listed, so that the answer stays small whatever was given. */
export const maxErrors = 50;
