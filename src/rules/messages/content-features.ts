/**
 * What a content has beyond texts, files and templates as every build knows them, by name. An owner of an earlier build must refuse a send
 * that has what it does not know: it would leave it out, or ask upstream for something else. [faults: 401]
 */
import type { FilledTemplate, GivenVariables, HeaderParameter } from '../templates/filled.ts';
import type { Content, MediaContent, TemplateContent } from './content.ts';

const features = {
  interactive: true,
  location: true,
  contacts: true,
  reaction: true,
  reply_to: true,
  tag: true,
  preview: true,
  voice: true,
  upload: true,
  cards: true,
  offer: true,
  products: true,
  filename: true,
} as const;

type ContentFeature = keyof typeof features;

export function isContentFeature(name: string): boolean {
  return Object.hasOwn(features, name);
}

/** Empty for most sends. */
export function featuresOf(content: Content): ContentFeature[] {
  const own = ownFeatures(content);
  if (content.replyTo !== undefined) own.push('reply_to');
  if (content.tag !== undefined) own.push('tag');
  return own;
}

function ownFeatures(content: Content): ContentFeature[] {
  switch (content.type) {
    case 'text':
      return content.showsPreview === true ? ['preview'] : [];
    case 'media':
      return mediaFeatures(content);
    case 'template':
      return templateFeatures(content.template);
    default:
      return [content.type];
  }
}

function mediaFeatures(content: MediaContent): ContentFeature[] {
  const found: ContentFeature[] = content.isVoice === true ? ['voice'] : [];
  return 'uploadedId' in content ? [...found, 'upload'] : found;
}

function templateFeatures(template: TemplateContent['template']): ContentFeature[] {
  if ('variables' in template) return template.variables === null ? [] : givenFeatures(template.variables);
  return [...filledFeatures(template), ...headerFeatures(template.header)];
}

function givenFeatures({ cards, offer_expires_at: offer, buttons }: GivenVariables): ContentFeature[] {
  const found: ContentFeature[] = [];
  if (cards !== null && cards !== undefined) found.push('cards');
  if (offer !== null && offer !== undefined) found.push('offer');
  if (buttons?.some(({ sections }) => sections !== null && sections !== undefined)) found.push('products');
  return found;
}

function filledFeatures({ cards, offerEndsAt, buttons }: FilledTemplate): ContentFeature[] {
  const found: ContentFeature[] = [];
  if (cards !== undefined) found.push('cards');
  if (offerEndsAt !== undefined) found.push('offer');
  if (buttons.some(({ fills }) => fills === 'catalog' || fills === 'mpm')) found.push('products');
  return found;
}

function headerFeatures(header: readonly HeaderParameter[]): ContentFeature[] {
  return header.flatMap((parameter): ContentFeature[] => {
    if (parameter.type === 'product') return ['products'];
    return parameter.type === 'document' && parameter.filename !== undefined ? ['filename'] : [];
  });
}
