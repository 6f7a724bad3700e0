import type { TemplateContent } from '../../domain/messages/content.ts';
import { mediaUrlProblem } from '../../domain/messages/media-url.ts';
import { fillTemplate } from '../../domain/templates/fill.ts';
import type { FilledTemplate } from '../../domain/templates/filled.ts';
import type { Template } from '../../domain/templates/template.ts';
import { fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { knownForSend, templateForSend } from '../templates/for-send.ts';
import { sendThrough } from './send-through.ts';
import type { SendAnswer, SendTemplateCommand } from './types.ts';

/**
 * Sends an approved template of the channel's business account, as this account sees it. Throws 400 `template_not_approved`, 404
 * `not_found`, 422 `validation` for variables that do not fit, and what every send does. [spec: Sending messages; upstream §3.2]
 */
export function sendTemplate(
  deps: UseCaseDeps,
  caller: Caller,
  command: SendTemplateCommand,
): Promise<SendAnswer> {
  const { name, language, variables } = command;
  return sendThrough(deps, caller, command, {
    type: 'template',
    body: [name, language, variables],
    contentFor: (channel) => {
      const known = knownForSend(deps, channel, command);
      if (known !== null) return filled(deps, known, variables);
      return templateForSend(deps, channel, command).then((found) => filled(deps, found, variables));
    },
  });
}

function filled(
  deps: UseCaseDeps,
  stored: Template,
  variables: SendTemplateCommand['variables'],
): TemplateContent {
  const template = fillTemplate(stored, variables);
  requireReachable(deps, template);
  return { type: 'template', template };
}

/** A file in the header is fetched by upstream, as one of `send-media` is. */
function requireReachable({ settings }: UseCaseDeps, { header }: FilledTemplate): void {
  for (const [place, parameter] of header.entries()) {
    const problem = 'link' in parameter ? mediaUrlProblem(parameter.link, settings) : null;
    if (problem !== null) throw fieldFault(['body', 'variables', 'header', place], `Value error, ${problem}`);
  }
}
