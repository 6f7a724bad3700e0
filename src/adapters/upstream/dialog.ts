import type { ChannelType } from '../../domain/vocabulary.ts';
import type { DialogSettings } from './kind.ts';
import { upstreamKindOf } from './kinds.ts';

/** Where a person goes to pick and grant assets. [upstream §2.1 step 1, §2.4 redirect variant (b)] */
export function makeDialogUrl(
  settings: DialogSettings,
  request: { channelType: ChannelType; redirectUri: string; state: string },
): string {
  const url = new URL(settings.dialogUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${settings.version}/dialog/oauth`;
  url.searchParams.set('client_id', settings.appId);
  url.searchParams.set('redirect_uri', request.redirectUri);
  url.searchParams.set('state', request.state);
  url.searchParams.set('response_type', 'code');
  const own = upstreamKindOf(request.channelType).connect.dialogParams(settings);
  for (const [name, value] of own) url.searchParams.set(name, value);
  return url.href;
}
