import type { Channel } from '../../domain/channels/channel.ts';
import { mediaUrlProblem } from '../../domain/messages/media-url.ts';
import { fillTemplate } from '../../domain/templates/fill.ts';
import type { FilledTemplate, GivenVariables, UnfilledTemplate } from '../../domain/templates/filled.ts';
import type { Template } from '../../domain/templates/template.ts';
import { fieldFault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';
import { templateForSend } from './for-send.ts';
import type { SendTemplates } from './for-send.ts';

interface LinkRules {
  settings: Pick<UseCaseDeps['settings'], 'allowInsecure' | 'ownHosts'>;
}

export type FillDeps = SendTemplates & LinkRules;

/** Finds the template and fills its variables. Throws the faults of `templateForSend`, and 422 `validation`. */
export async function fillForSend(
  deps: FillDeps,
  channel: Channel,
  { name, language, variables }: UnfilledTemplate,
  requestId: string | undefined,
): Promise<FilledTemplate> {
  const template = await templateForSend(deps, channel, { name, language, requestId });
  return filledTemplate(deps, template, variables);
}

/** Throws 422 `validation` for wrong variables. URLs of header files are checked as those of `send-media`: upstream fetches both. */
function filledTemplate(
  { settings }: LinkRules,
  stored: Template,
  variables: GivenVariables | null,
): FilledTemplate {
  const template = fillTemplate(stored, variables);
  for (const [place, parameter] of template.header.entries()) {
    const problem = 'link' in parameter ? mediaUrlProblem(parameter.link, settings) : null;
    if (problem !== null) throw fieldFault(['body', 'variables', 'header', place], `Value error, ${problem}`);
  }
  return template;
}
