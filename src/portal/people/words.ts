import type { Notice } from '../notice.tsx';

export const passwordHint =
  'At least 10 characters. Any characters; a few words are easier to keep than a riddle.';

export const formOutdated: Notice = {
  title: 'This form could not be taken',
  paragraphs: [
    'It is out of date, or your browser keeps no cookies for this site. Nothing was changed.',
    'Go back, reload the page and try again.',
  ],
};
