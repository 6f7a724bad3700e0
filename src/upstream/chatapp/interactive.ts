import type { Action, InteractiveContent, Section } from '../../rules/messages/interactive.ts';

/** A text with something to press, as chatapp takes it. [upstream §3.1] */
export interface ChatappInteractive {
  type: 'button' | 'list' | 'cta_url' | 'location_request_message';
  body: { text: string };
  header?: { type: 'text'; text: string };
  footer?: { text: string };
  action: object;
}

export function writeInteractive({ text, header, footer, action }: InteractiveContent): ChatappInteractive {
  return {
    ...writeAction(action),
    body: { text },
    ...(header === null ? {} : { header: { type: 'text', text: header } }),
    ...(footer === null ? {} : { footer: { text: footer } }),
  };
}

function writeAction(action: Action): Pick<ChatappInteractive, 'type' | 'action'> {
  switch (action.type) {
    case 'buttons':
    case 'quick_replies': {
      const buttons = action.buttons.map((reply) => ({ type: 'reply', reply }));
      return { type: 'button', action: { buttons } };
    }
    case 'list':
      return { type: 'list', action: { button: action.button, sections: action.sections.map(writeSection) } };
    case 'url': {
      const parameters = { display_text: action.title, url: action.url };
      return { type: 'cta_url', action: { name: 'cta_url', parameters } };
    }
    case 'location_request':
      return { type: 'location_request_message', action: { name: 'send_location' } };
    default:
      return action satisfies never;
  }
}

function writeSection({ title, rows }: Section): object {
  return {
    ...(title === null ? {} : { title }),
    rows: rows.map(({ id, title: shown, description }) => ({
      id,
      title: shown,
      ...(description === null ? {} : { description }),
    })),
  };
}
