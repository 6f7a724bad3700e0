import type { IncomingMessage } from 'node:http';
import type { FailureAnswer } from '../http/route.ts';
import { ClientGone, asFault, logUnforeseen, retryAfter } from '../http/middleware/error-funnel.ts';
import type { Fault } from '../kernel/faults.ts';
import { answerNotice } from './notice.tsx';
import type { Notice } from './notice.tsx';

export const pageFailed: Notice = {
  title: 'This page could not be shown',
  paragraphs: ['Something on our side did not work. Please wait a moment and try again.'],
};

const notThere: Notice = {
  title: 'There is nothing here',
  paragraphs: ['It was removed, or the address was cut off. Go back and choose it again.'],
};

const notDone: Notice = {
  title: 'This could not be done',
  paragraphs: [
    'The page was open for too long, or somebody has signed in in this browser since. Nothing was changed.',
    'Go back, look whose account it is, and send it once more. If that is refused too, load the page again first.',
  ],
};

const notConfirmed: Notice = {
  title: 'Your e-mail address is not confirmed yet',
  paragraphs: ['Nothing was changed. Open the link in the e-mail we sent, then go back and try again.'],
};

const tooMuch: Notice = {
  title: 'That was too much at once',
  paragraphs: ['Nothing was changed. Wait a moment, go back and try again.'],
};

const tooLarge: Notice = {
  title: 'That was too large',
  paragraphs: [
    'A text or a file is larger than this form takes. Nothing was done.',
    'Go back and make it smaller.',
  ],
};

/** For a POST: a failed answer does not say whether the work was done. */
const notKnown: Notice = {
  title: 'This could not be finished',
  paragraphs: [
    'Something on our side did not work, and what you sent may have been done or not.',
    'Wait a moment, go back, load the page again and see before you send it once more.',
  ],
};

/** For a GET: nothing was to be done, so the page is only loaded again. */
const notMade: Notice = {
  title: 'That was too much at once',
  paragraphs: ['This page was not made. Wait a moment, then load it again.'],
};

/** The general notice, with what a person can do about the failure. */
function noticeFor(method: string | undefined, { code, status }: Fault): Notice {
  if (status === 404 || status === 405) return notThere;
  if (status === 429 || code === 'overloaded') return method === 'POST' ? tooMuch : notMade;
  if (status === 413) return tooLarge;
  if (code === 'email_not_confirmed') return notConfirmed;
  if (status === 400) return notDone;
  return method === 'POST' && status >= 500 ? notKnown : pageFailed;
}

const home = { path: '/portal', word: 'Home' };

/** Writes a notice as a page. */
type Show = typeof answerNotice;

/** Shows any failure as a page with the fault's status and our own words. */
export function failingAs(notice: Notice, show?: Show): FailureAnswer {
  return failingWith(({ method, url }, refusal) => {
    const said = notice === pageFailed ? noticeFor(method, refusal) : notice;
    return /^\/portal(\/|\?|$)/.test(url ?? '') ? { ...said, way: home } : said;
  }, show);
}

const now = { path: '/operators', word: 'Now' };

/** Shows the API's message, because an operator needs the reason. */
export function failingInConsole(show?: Show): FailureAnswer {
  return failingWith(({ method }, refusal) => {
    const { status, message } = refusal;
    if (status !== 400 && status !== 409) return { ...noticeFor(method, refusal), way: now };
    return { title: notDone.title, paragraphs: [`${message}.`], way: now };
  }, show);
}

function failingWith(
  makeNotice: (request: IncomingMessage, refusal: Fault) => Notice,
  show: Show = answerNotice,
): FailureAnswer {
  return (request, response, thrown, log) => {
    if (thrown instanceof ClientGone || response.destroyed) return;
    const refusal = asFault(thrown);
    if (refusal.code === 'internal') logUnforeseen(request, thrown, log);
    if (response.headersSent) return void response.destroy();
    const [name, seconds] = retryAfter(refusal);
    if (name !== undefined && seconds !== undefined) response.setHeader(name, seconds);
    show(response, refusal.status, makeNotice(request, refusal));
  };
}
