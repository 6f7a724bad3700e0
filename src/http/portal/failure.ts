import type { Request, Response } from 'express';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { sendPage } from '../answers.ts';
import { ClientGone, faultOf, logUnforeseen } from '../middleware/error-funnel.ts';
import { setupFailed } from './notices.ts';
import { noticePage, plainPagePolicy } from './page.ts';

/** A person sees a page, whatever failed: the status is the fault's, the words are ours. */
export function answerPageFailure(request: Request, response: Response, thrown: unknown, log: Log): void {
  if (thrown instanceof ClientGone || response.destroyed) return;
  const requestId = newId();
  const { code, status } = faultOf(thrown);
  if (code === 'internal') logUnforeseen(request, thrown, requestId, log);
  if (response.headersSent) response.destroy();
  else sendPage(response, status, noticePage(setupFailed), plainPagePolicy, requestId);
}
