import type { InteractiveContent } from '../../rules/messages/interactive.ts';

/** A text with something to press, as pages and photo accounts take it. [upstream §3.3] */
export type PageInteractive =
  | { text: string; quick_replies: { content_type: 'text'; title: string; payload: string }[] }
  | {
      attachment: { type: 'template'; payload: { template_type: 'button'; text: string; buttons: object[] } };
    };

export function writeInteractive({ text, action }: InteractiveContent): PageInteractive {
  switch (action.type) {
    case 'quick_replies': {
      const replies = action.buttons.map(
        ({ id, title }) => ({ content_type: 'text', title, payload: id }) as const,
      );
      return { text, quick_replies: replies };
    }
    case 'buttons':
      return withButtons(
        text,
        action.buttons.map(({ id, title }) => ({ type: 'postback', title, payload: id })),
      );
    case 'url':
      return withButtons(text, [{ type: 'web_url', title: action.title, url: action.url }]);
    case 'list':
    case 'location_request':
      throw new Error('not for pages'); // the kind's `interactive` has refused it
    default:
      return action satisfies never;
  }
}

function withButtons(text: string, buttons: object[]): PageInteractive {
  return { attachment: { type: 'template', payload: { template_type: 'button', text, buttons } } };
}
