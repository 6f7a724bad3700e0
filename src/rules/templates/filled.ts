/** A client's values for a template, and the filled template. */
import type { ButtonPart } from './parts.ts';

/** A list for positional templates, an object for named ones. [spec: Sending messages, `variables` shape] */
export type GivenTexts = readonly string[] | Readonly<Record<string, string>>;

/** Products under a title, by the ids that they have in the catalogue. */
export interface GivenSection {
  title: string;
  product_ids: readonly string[];
}

export interface GivenButton {
  index: number;
  value: string;
  /** Of a button that shows several products. */
  sections?: readonly GivenSection[] | null | undefined;
}

export interface GivenCard {
  header?: GivenTexts | null | undefined;
  body?: GivenTexts | null | undefined;
  buttons?: readonly GivenButton[] | null | undefined;
}

/** As a client gives them. The last two are additions to the specification. */
export interface GivenVariables extends GivenCard {
  cards?: readonly GivenCard[] | null | undefined;
  /** ISO 8601 with a zone. */
  offer_expires_at?: string | null | undefined;
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
  | { type: 'image' | 'video' | 'gif'; link: string }
  | { type: 'document'; link: string; filename?: string }
  | { type: 'location'; latitude: string; longitude: string; name: string; address: string }
  | { type: 'product'; productId: string; catalogId: string };

export interface ProductSection {
  title: string;
  productIds: readonly string[];
}

export interface FilledButton {
  /** From 0, over all buttons of the template. */
  index: number;
  fills: ButtonPart['fills'];
  value: string;
  /** Of `mpm` alone. */
  sections?: readonly ProductSection[];
}

/** A list is empty if the part has no variables. */
export interface FilledCard {
  header: readonly HeaderParameter[];
  body: readonly TextParameter[];
  buttons: readonly FilledButton[];
}

/** A template with values for its variables, in our words. */
export interface FilledTemplate extends FilledCard {
  name: string;
  language: string;
  /** Of a carousel alone. */
  cards?: readonly FilledCard[];
  /** Of a limited-time offer alone: when it ends, ms. */
  offerEndsAt?: number;
}
