import type { ChannelKind } from '../../../rules/channels/kind.ts';
import type { interactiveTypes } from '../../../rules/messages/interactive.ts';
import { line, optional, said, some } from './send-field.ts';
import type { SendField, SendKind, TextOf } from './send-field.ts';
import { choicesIn, rowsIn } from './send-lines.ts';

type Pressed = (typeof interactiveTypes)[number];

const labels: Record<Pressed, string> = {
  buttons: 'Buttons',
  quick_replies: 'Quick replies',
  list: 'List',
  url: 'Link',
  location_request: 'Ask for a place',
};

/** A text with something to press. */
export function pressable({ interactive }: ChannelKind, type: Pressed): SendKind {
  const { choices = 0, title = 0, header, footer } = interactive[type] ?? {};
  const around = (name: 'header' | 'footer', label: string, most: number | undefined): SendField[] =>
    most === undefined ? [] : [line(name, label, '', { ...optional, maxLength: most })];
  return {
    name: type,
    label: labels[type],
    way: 'interactive',
    fields: [
      ...around('header', 'Line above the text', header),
      said,
      ...around('footer', 'Line below the text', footer),
      ...pressFields(type, choices, title),
    ],
    body: (text) => ({
      interactive_type: type,
      text: text('text'),
      ...some(text, ['header', 'footer']),
      ...pressBody(type, text),
    }),
  };
}

function pressFields(type: Pressed, choices: number, title: number): SendField[] {
  const each = `One on a line, at most ${choices}; at most ${title} characters.`;
  switch (type) {
    case 'buttons':
    case 'quick_replies':
      return [
        line('buttons', 'Choices', 'yes = Yes, please', {
          is: 'lines',
          hint: `${each} Before “=”: what the event of the answer has as its id.`,
        }),
      ];
    case 'list':
      return [
        line('list_button', 'Button that opens the list', 'Choose', { maxLength: 20 }),
        line('sections', 'Rows', 'cake = Cake | with cherries', {
          is: 'lines',
          hint: `${each} Before “=”: the id; behind “|”: a description. A line that begins with “#” is the title of the rows below it.`,
        }),
      ];
    case 'url':
      return [
        line('url_button.title', 'Button', 'Open', { maxLength: title }),
        line('url_button.url', 'Address', 'https://www.example.com', { is: 'url', maxLength: 2_000 }),
      ];
    case 'location_request':
      return [];
    default:
      return type satisfies never;
  }
}

function pressBody(type: Pressed, text: TextOf): Readonly<Record<string, unknown>> {
  switch (type) {
    case 'buttons':
    case 'quick_replies':
      return { buttons: choicesIn(text('buttons')) };
    case 'list':
      return { list_button: text('list_button'), sections: rowsIn(text('sections')) };
    case 'url':
      return { url_button: { title: text('url_button.title'), url: text('url_button.url') } };
    case 'location_request':
      return {};
    default:
      return type satisfies never;
  }
}
