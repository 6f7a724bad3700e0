/** How chatapp sends a filled template. [upstream §3.2] */
import type {
  FilledButton,
  FilledCard,
  FilledTemplate,
  HeaderParameter,
  ProductSection,
} from '../../rules/templates/filled.ts';

/** A filled template. [upstream §3.2] */
export interface ChatappTemplate {
  name: string;
  language: { code: string };
  /** Absent if there is nothing to fill. */
  components?: ChatappComponent[];
}

type ChatappComponent =
  | { type: 'header' | 'body'; parameters: ChatappParameter[] }
  | { type: 'button'; sub_type: string; index: string; parameters?: ChatappButtonParameter[] }
  | { type: 'carousel'; cards: { card_index: number; components: ChatappComponent[] }[] }
  | {
      type: 'limited_time_offer';
      parameters: [{ type: 'limited_time_offer'; limited_time_offer: { expiration_time_ms: number } }];
    };

type ChatappParameter =
  | { type: 'text'; text: string; parameter_name?: string }
  | { type: 'image'; image: { link: string } }
  | { type: 'video'; video: { link: string } }
  | { type: 'gif'; gif: { link: string } }
  | { type: 'document'; document: { link: string; filename?: string } }
  | {
      type: 'location';
      location: { latitude: string; longitude: string; name: string; address: string };
    }
  | { type: 'product'; product: { product_retailer_id: string; catalog_id: string } };

type ChatappButtonParameter =
  | { type: 'text'; text: string }
  | { type: 'payload'; payload: string }
  | { type: 'coupon_code'; coupon_code: string }
  | { type: 'action'; action: { flow_token: string } | ChatappProducts };

interface ChatappProducts {
  thumbnail_product_retailer_id?: string;
  sections?: { title: string; product_items: { product_retailer_id: string }[] }[];
}

/** A filled template in upstream's form: only components with something to fill. [upstream §3.2] */
export function writeTemplate(template: FilledTemplate): ChatappTemplate {
  const { name, language, cards, offerEndsAt } = template;
  const components = writeParts(template);
  if (offerEndsAt !== undefined) components.push(writeOffer(offerEndsAt));
  if (cards !== undefined) components.push({ type: 'carousel', cards: cards.map(writeNumbered) });
  const code = { code: language };
  return components.length === 0 ? { name, language: code } : { name, language: code, components };
}

function writeParts({ header, body, buttons }: FilledCard): ChatappComponent[] {
  const components: ChatappComponent[] = [];
  if (header.length > 0) components.push({ type: 'header', parameters: header.map(writeParameter) });
  if (body.length > 0) components.push({ type: 'body', parameters: body.map(writeParameter) });
  components.push(...buttons.map(writeComponent));
  return components;
}

function writeNumbered(card: FilledCard, at: number): { card_index: number; components: ChatappComponent[] } {
  return { card_index: at, components: writeParts(card) };
}

function writeOffer(endsAt: number): ChatappComponent {
  const offer = { expiration_time_ms: endsAt };
  return {
    type: 'limited_time_offer',
    parameters: [{ type: 'limited_time_offer', limited_time_offer: offer }],
  };
}

function writeParameter(parameter: HeaderParameter): ChatappParameter {
  switch (parameter.type) {
    case 'text': {
      const { name, text } = parameter;
      return name === null ? { type: 'text', text } : { type: 'text', parameter_name: name, text };
    }
    case 'image':
      return { type: 'image', image: { link: parameter.link } };
    case 'video':
      return { type: 'video', video: { link: parameter.link } };
    case 'gif':
      return { type: 'gif', gif: { link: parameter.link } };
    case 'document': {
      const { type, ...document } = parameter;
      return { type, document };
    }
    case 'location': {
      const { latitude, longitude, name, address } = parameter;
      return { type: 'location', location: { latitude, longitude, name, address } };
    }
    case 'product': {
      const { productId, catalogId } = parameter;
      return { type: 'product', product: { product_retailer_id: productId, catalog_id: catalogId } };
    }
    default:
      return parameter satisfies never;
  }
}

function writeComponent(button: FilledButton): ChatappComponent {
  const { index, fills, value } = button;
  const named = { type: 'button', sub_type: fills, index: String(index) } as const;
  // Without parameters, not with an empty one, the picture is that of the catalogue's first product.
  return fills === 'catalog' && value === '' ? named : { ...named, parameters: [makeValue(button)] };
}

function makeValue({ fills, value, sections }: FilledButton): ChatappButtonParameter {
  switch (fills) {
    case 'url':
      return { type: 'text', text: value };
    case 'quick_reply':
      return { type: 'payload', payload: value };
    case 'copy_code':
      return { type: 'coupon_code', coupon_code: value };
    case 'flow':
      return { type: 'action', action: { flow_token: value } };
    case 'catalog':
      return { type: 'action', action: { thumbnail_product_retailer_id: value } };
    case 'mpm':
      return {
        type: 'action',
        action: { thumbnail_product_retailer_id: value, sections: (sections ?? []).map(writeSection) },
      };
    default:
      return fills satisfies never;
  }
}

function writeSection({ title, productIds }: ProductSection): Required<ChatappProducts>['sections'][number] {
  return { title, product_items: productIds.map((id) => ({ product_retailer_id: id })) };
}
