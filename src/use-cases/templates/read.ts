import type { Template } from '../../domain/templates/template.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { noSuchTemplate, templateChannel, withSyncTime } from './find.ts';

/** As it is stored, whatever the channel's state. Throws 404 `not_found`, 400 `wrong_channel_type`. */
export async function readTemplate(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  templateId: string,
): Promise<Template> {
  const { owner } = await templateChannel(deps, caller, channelId);
  const template = await deps.stores.templates.byId(owner, templateId);
  if (template === null) throw noSuchTemplate();
  return withSyncTime(template, await deps.stores.templates.sync(owner));
}
