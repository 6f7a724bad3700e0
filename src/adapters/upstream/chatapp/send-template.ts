import type { FilledButton, FilledTemplate, HeaderParameter } from '../../../domain/templates/filled.ts';
import type {
  ChatappButtonParameter,
  ChatappComponent,
  ChatappParameter,
  ChatappTemplate,
} from './wire-send.ts';

/** A filled template in upstream's form: only components with something to fill. [upstream §3.2] */
export function writeTemplate({ name, language, header, body, buttons }: FilledTemplate): ChatappTemplate {
  const components: ChatappComponent[] = [];
  if (header.length > 0) components.push({ type: 'header', parameters: header.map(writeParameter) });
  if (body.length > 0) components.push({ type: 'body', parameters: body.map(writeParameter) });
  components.push(...buttons.map(writeComponent));
  const filled = components.length === 0 ? {} : { components };
  return { name, language: { code: language }, ...filled };
}

function writeParameter(parameter: HeaderParameter): ChatappParameter {
  switch (parameter.type) {
    case 'text': {
      const named = parameter.name === null ? {} : { parameter_name: parameter.name };
      return { type: 'text', ...named, text: parameter.text };
    }
    case 'image':
      return { type: 'image', image: { link: parameter.link } };
    case 'video':
      return { type: 'video', video: { link: parameter.link } };
    case 'document':
      return { type: 'document', document: { link: parameter.link } };
    case 'location': {
      const { latitude, longitude, name, address } = parameter;
      return { type: 'location', location: { latitude, longitude, name, address } };
    }
    default:
      return parameter satisfies never;
  }
}

function writeComponent({ index, fills, value }: FilledButton): ChatappComponent {
  return { type: 'button', sub_type: fills, index: String(index), parameters: [makeValue(fills, value)] };
}

function makeValue(fills: FilledButton['fills'], value: string): ChatappButtonParameter {
  switch (fills) {
    case 'url':
      return { type: 'text', text: value };
    case 'quick_reply':
      return { type: 'payload', payload: value };
    case 'copy_code':
      return { type: 'coupon_code', coupon_code: value };
    case 'flow':
      return { type: 'action', action: { flow_token: value } };
    default:
      return fills satisfies never;
  }
}
