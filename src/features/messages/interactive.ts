/** The request of a text with something to press. */
import {
  givenId,
  givenList,
  oneOfWords,
  orNull,
  requestObject,
  text,
  webUrl,
  withExample,
} from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { BodyOf } from '../../http/validation/request-body.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { fieldFault } from '../../kernel/faults.ts';
import { interactiveTypes, mostOf } from '../../rules/messages/interactive.ts';
import type { Action, InteractiveContent } from '../../rules/messages/interactive.ts';
import { extras, givenRecipient, someId } from './schemas.ts';

const short = (maxLength: number) => text({ minLength: 1, maxLength });
const choice = { id: short(mostOf.id), title: short(mostOf.title) };
const row = requestObject('ListRow', choice, { description: orNull(short(mostOf.description)) });

/** Lengths are the largest of all kinds; the channel's kind checks its own: a violation is 400 `content_too_long`. */
export const sendInteractiveRequest = requestBody(
  withExample(
    requestObject(
      'SendInteractiveRequest',
      {
        channel_id: givenId,
        recipient: givenRecipient,
        interactive_type: { ...oneOfWords(interactiveTypes), description: kindNotes.interactiveType },
        text: { ...short(mostOf.text), description: kindNotes.interactiveText },
      },
      {
        buttons: {
          ...orNull(givenList(requestObject('ReplyButton', choice))),
          description: kindNotes.buttons,
        },
        list_button: {
          ...orNull(short(20)),
          description: 'Of `list`: the button that opens the list',
        },
        sections: {
          ...orNull(
            givenList(requestObject('ListSection', { rows: givenList(row) }, { title: orNull(short(24)) })),
          ),
          description: kindNotes.sections,
        },
        url_button: {
          ...orNull(requestObject('UrlButton', { title: short(20), url: webUrl })),
          description: 'Of `url`: the button that opens the address',
        },
        header: { ...orNull(short(mostOf.line)), description: kindNotes.headerFooter },
        footer: { ...orNull(short(mostOf.line)), description: kindNotes.headerFooter },
        ...extras,
      },
    ),
    {
      channel_id: someId,
      recipient: '4915900000777',
      interactive_type: 'buttons',
      text: 'When shall we deliver?',
      buttons: [
        { id: 'morning', title: 'In the morning' },
        { id: 'evening', title: 'In the evening' },
      ],
    },
  ),
);

type Body = BodyOf<typeof sendInteractiveRequest>;

/** Throws 422 if a member is missing that this type needs. */
export function interactiveIn(body: Body): InteractiveContent {
  const { text: said, header = null, footer = null } = body;
  return { type: 'interactive', text: said, header, footer, action: actionIn(body) };
}

function actionIn(body: Body): Action {
  const { interactive_type: type } = body;
  switch (type) {
    case 'buttons':
    case 'quick_replies':
      return {
        type,
        buttons: some('buttons', body.buttons).map(({ id, title }) => ({ id, title })),
      };
    case 'list':
      return { type, button: given('list_button', body.list_button), sections: sectionsIn(body) };
    case 'url': {
      const { title, url } = given('url_button', body.url_button);
      return { type, title, url };
    }
    case 'location_request':
      return { type };
    default:
      return type satisfies never;
  }
}

function sectionsIn(body: Body) {
  const sections = some('sections', body.sections);
  return sections.map(({ title = null, rows }, at) => {
    if (title === null && sections.length > 1)
      throw fieldFault(['body', 'sections', at, 'title'], 'Field required beside other sections', 'missing');
    const shown = some('sections', rows).map(({ id, title: name, description = null }) => ({
      id,
      title: name,
      description,
    }));
    return { title, rows: shown };
  });
}

function given<T>(field: string, value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw fieldFault(['body', field], 'Field required for this interactive_type', 'missing');
  return value;
}

function some<T>(field: string, value: T[] | null | undefined): T[] {
  const list = given(field, value);
  if (list.length === 0) throw fieldFault(['body', field], 'List should have at least 1 item', 'too_short');
  return list;
}
