import type { ChannelType } from '../../domain/vocabulary.ts';

export interface DialogSettings {
  dialogUrl: string;
  version: string;
  appId: string;
  signupConfigId: string;
}

/** What must be granted, and what is usually needed beside it. [upstream §2.1] */
export interface Scopes {
  required: readonly string[];
  usual: readonly string[];
}

const pageScopes: Scopes = {
  required: ['pages_show_list', 'pages_messaging', 'pages_manage_metadata'],
  usual: ['pages_read_engagement', 'business_management'],
};

const photoScopes: Scopes = {
  required: ['instagram_basic', 'instagram_manage_messages', 'pages_show_list', 'pages_manage_metadata'],
  usual: ['pages_messaging', 'pages_read_engagement', 'business_management'],
};

/** Part of the login configuration, so never in the dialog's URL. [upstream §2.4] */
const chatappScopes: Scopes = {
  required: ['whatsapp_business_management', 'whatsapp_business_messaging'],
  usual: [],
};

export const scopesOf: Record<ChannelType, Scopes> = {
  chatapp: chatappScopes,
  pagechat: pageScopes,
  photoapp: photoScopes,
};

/**
 * This feature lets people connect a number that also lives in the phone's business app (dual-use) and, on its second page,
 * any other number. Without it dual-use numbers could not be connected at all. [upstream §2.4]
 */
const signupExtras = JSON.stringify({
  setup: {},
  featureType: 'whatsapp_business_app_onboarding',
  sessionInfoVersion: '3',
});

/** Where a person goes to pick and grant assets. [upstream §2.1 step 1, §2.4 redirect variant (b)] */
export function dialogUrlOf(
  settings: DialogSettings,
  request: { channelType: ChannelType; redirectUri: string; state: string },
): string {
  const url = new URL(settings.dialogUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${settings.version}/dialog/oauth`;
  url.searchParams.set('client_id', settings.appId);
  url.searchParams.set('redirect_uri', request.redirectUri);
  url.searchParams.set('state', request.state);
  url.searchParams.set('response_type', 'code');
  for (const [name, value] of grantParams[request.channelType](settings)) url.searchParams.set(name, value);
  return url.href;
}

type Params = [name: string, value: string][];

const grantParams: Record<ChannelType, (settings: DialogSettings) => Params> = {
  chatapp: ({ signupConfigId }) => [
    ['config_id', signupConfigId],
    ['override_default_response_type', 'true'],
    ['extras', signupExtras],
  ],
  pagechat: () => scopeParams(pageScopes),
  photoapp: () => scopeParams(photoScopes),
};

/** `rerequest`: who declined a permission once is asked again, else a second try could never succeed. */
function scopeParams({ required, usual }: Scopes): Params {
  return [
    ['scope', [...required, ...usual].join(',')],
    ['auth_type', 'rerequest'],
  ];
}
