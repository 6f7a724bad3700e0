/**
 * What a content has beyond texts, files and templates as every build knows them, by name. An owner of an earlier build must refuse a send
 * that has what it does not know: it would leave it out, or ask upstream for something else. A member of a content that is missing here does
 * not compile. [faults: 401]
 */
import type { ButtonPart } from '../templates/parts.ts';
import type {
  FilledButton,
  FilledCard,
  FilledTemplate,
  GivenButton,
  GivenVariables,
  HeaderParameter,
} from '../templates/filled.ts';
import type { ContactCard } from './cards.ts';
import type { Content, TemplateContent } from './content.ts';
import type { Action } from './interactive.ts';

const features = [
  'interactive',
  'location',
  'contacts',
  'reaction',
  'preview',
  'voice',
  'upload',
  'cards',
  'offer',
  'products',
  'filename',
  'gif',
  'reply_to',
  'tag',
] as const;

type ContentFeature = (typeof features)[number];

/** Every member of each shape of T: the feature that a build knows which knows it; null: as long as it knows T. */
type Members<T> = Readonly<Record<T extends unknown ? keyof T : never, ContentFeature | null>>;

const extras = { replyTo: 'reply_to', tag: 'tag' } as const;

const ofContent: { readonly [T in Content['type']]: Members<Extract<Content, { type: T }>> } = {
  text: { ...extras, type: null, text: null, showsPreview: 'preview' },
  media: {
    ...extras,
    type: null,
    mediaType: null,
    caption: null,
    filename: null,
    url: null,
    isVoice: 'voice',
    uploadedId: 'upload',
  },
  template: { ...extras, type: null, template: null },
  interactive: { ...extras, type: 'interactive', text: null, header: null, footer: null, action: null },
  location: { ...extras, type: 'location', latitude: null, longitude: null, name: null, address: null },
  contacts: { ...extras, type: 'contacts', contacts: null },
  reaction: { ...extras, type: 'reaction', to: null, emoji: null },
};

const actionTypes: Readonly<Record<Action['type'], ContentFeature | null>> = {
  buttons: null,
  quick_replies: null,
  list: null,
  url: null,
  location_request: null,
};
const ofAction: Members<Action> = { type: null, buttons: null, button: null, sections: null, title: null, url: null }; // oxfmt-ignore
const ofContact: Members<ContactCard> = { name: null, firstName: null, lastName: null, phones: null, emails: null, organization: null }; // oxfmt-ignore

const ofGiven: Members<GivenVariables> = { header: null, body: null, buttons: null, cards: 'cards', offer_expires_at: 'offer' }; // oxfmt-ignore
const ofGivenButton: Members<GivenButton> = { index: null, value: null, sections: 'products' };

const ofFilled: Members<FilledTemplate> = { name: null, language: null, header: null, body: null, buttons: null, cards: 'cards', offerEndsAt: 'offer' }; // oxfmt-ignore
const ofFilledButton: Members<FilledButton> = { index: null, fills: null, value: null, sections: 'products' };
const fills: Readonly<Record<ButtonPart['fills'], ContentFeature | null>> = {
  url: null,
  quick_reply: null,
  copy_code: null,
  flow: null,
  catalog: 'products',
  mpm: 'products',
};
const headerTypes: Readonly<Record<HeaderParameter['type'], ContentFeature | null>> = {
  text: null,
  image: null,
  video: null,
  gif: 'gif',
  document: null,
  location: null,
  product: 'products',
};
const ofHeader: Members<HeaderParameter> = {
  type: null,
  name: null,
  text: null,
  link: null,
  latitude: null,
  longitude: null,
  address: null,
  filename: 'filename',
  productId: 'products',
  catalogId: 'products',
};

export function isContentFeature(name: string): boolean {
  return features.some((known) => known === name);
}

/** In the order of the list above; empty for most sends. */
export function featuresOf(content: Content): ContentFeature[] {
  const found = new Set(presentIn(ofContent[content.type], content));
  for (const feature of innerFeatures(content)) if (feature !== null) found.add(feature);
  return found.size === 0 ? [] : features.filter((feature) => found.has(feature));
}

type Found = readonly (ContentFeature | null)[];

/** The features of an item's own members. A member that is null was not given. */
function presentIn(members: Readonly<Record<string, ContentFeature | null>>, item: object): ContentFeature[] {
  return Object.entries(item).flatMap(([member, value]: [string, unknown]) => {
    return value === undefined || value === null ? [] : (members[member] ?? []);
  });
}

function innerFeatures(content: Content): Found {
  switch (content.type) {
    case 'interactive':
      return [actionTypes[content.action.type], ...presentIn(ofAction, content.action)];
    case 'contacts':
      return content.contacts.flatMap((contact) => presentIn(ofContact, contact));
    case 'template':
      return templateFeatures(content.template);
    default:
      return [];
  }
}

function templateFeatures(template: TemplateContent['template']): Found {
  if ('variables' in template) return template.variables === null ? [] : givenFeatures(template.variables);
  return [...presentIn(ofFilled, template), ...[template, ...(template.cards ?? [])].flatMap(filledFeatures)];
}

function givenFeatures(given: GivenVariables): Found {
  const buttons = [given, ...(given.cards ?? [])].flatMap((card) => card.buttons ?? []);
  return [...presentIn(ofGiven, given), ...buttons.flatMap((button) => presentIn(ofGivenButton, button))];
}

function filledFeatures({ header, buttons }: FilledCard): Found {
  return [
    ...header.flatMap((parameter) => [headerTypes[parameter.type], ...presentIn(ofHeader, parameter)]),
    ...buttons.flatMap((button) => [fills[button.fills], ...presentIn(ofFilledButton, button)]),
  ];
}
