import type { FailureAnswer } from '../http/route.ts';
import { ClientGone, faultOf, logUnforeseen } from '../http/middleware/error-funnel.ts';
import { newId } from '../kernel/ids.ts';
import { answerNotice } from './notice.tsx';
import type { Notice } from './notice.tsx';

export const pageFailed: Notice = {
  title: 'This page could not be shown',
  paragraphs: ['Something on our side did not work. Please wait a moment and try again.'],
};

/** A person sees a page, whatever failed: the status is the fault's, the words are ours. */
export function failingAs(notice: Notice): FailureAnswer {
  return (request, response, thrown, log) => {
    if (thrown instanceof ClientGone || response.destroyed) return;
    const requestId = newId();
    const { code, status } = faultOf(thrown);
    if (code === 'internal') logUnforeseen(request, thrown, requestId, log);
    if (response.headersSent) response.destroy();
    else answerNotice(response, status, notice, requestId);
  };
}
