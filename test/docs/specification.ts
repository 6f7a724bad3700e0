/** What the specification has, before anything was added: operations with their parameters, fields by schema, events, codes of errors. */

/** `?` marks a query parameter. */
export const operations: Readonly<Record<string, string>> = {
  'GET /api/v1/subscriptions': '',
  'GET /api/v1/channels': '',
  'GET /api/v1/channels/{channel_id}': '',
  'PATCH /api/v1/channels/{channel_id}': '',
  'DELETE /api/v1/channels/{channel_id}': '',
  'POST /api/v1/channels/setup-url': '',
  'POST /api/v1/channels/exchange-code': '',
  'GET /api/v1/redirects': '',
  'POST /api/v1/redirects': '',
  'DELETE /api/v1/redirects/{redirect_id}': '',
  'GET /api/v1/channels/{channel_id}/profile/{user_id}': '',
  'POST /api/v1/messages/send': '',
  'POST /api/v1/messages/send-media': '',
  'POST /api/v1/messages/send-template': '',
  'GET /api/v1/media/{media_id}': '',
  'GET /api/v1/channels/{channel_id}/templates': 'sync status',
  'POST /api/v1/channels/{channel_id}/templates': '',
  'GET /api/v1/channels/{channel_id}/templates/{template_id}': '',
  'PUT /api/v1/channels/{channel_id}/templates/{template_id}': '',
  'DELETE /api/v1/channels/{channel_id}/templates/{template_id}': 'all_languages',
};

const webhook = 'webhook_url webhook_secret webhook_events';
const identity =
  'channel_id channel_type name phone_number_id phone_number photoapp_account_id photoapp_username page_id';
const received = 'message_id from from_name type text caption media unsupported_type upgrade_required';
const status = 'message_id status recipient';

/** The schemas that its tables describe, by their names in `/openapi.json`. */
export const fields: Readonly<Record<string, string>> = {
  ChannelOut:
    'id channel_type name is_active phone_number_id phone_number business_account_id quality_rating photoapp_account_id photoapp_username page_id webhook_url has_webhook_secret webhook_events echo_statuses connected_at created_at subscription',
  ChannelListResponse: 'channels total',
  SubscriptionInfo: 'status source tier expires_at auto_renew',
  SubscriptionOut: 'id status source tier starts_at expires_at auto_renew assigned_channels',
  SubscriptionAssignedChannel: 'channel_id channel_type name is_active',
  SubscriptionsResponse: 'subscriptions total active_total available_slots',
  AvailableSlotsByTier: 'total starter pro',
  RedirectOut: 'id uri_pattern created_at',
  RedirectList: 'redirects',
  RedirectRequest: 'uri_pattern',
  RedirectCreated: 'id uri_pattern',
  TemplateOut:
    'id meta_template_id name language category status components parameter_format variables synced_at created_at',
  TemplateVariablesSummary: 'total_count parameter_format header body buttons',
  TemplateVariableInfo: 'position name example',
  TemplateComponentInput: 'type format text example buttons',
  TemplateList: 'templates total synced',
  TemplateCreateRequest: 'name category language components parameter_format',
  TemplateUpdateRequest: 'components category',
  SenderProfileResponse: 'channel_id channel_type user_id profile cached',
  SendMessageResponse: 'success message_id error error_code status',
  SendTemplateResponse: 'success message_id error',
  ChannelUpdateRequest: `${webhook} echo_statuses`,
  ChannelUpdateResponse: `id ${webhook}`,
  SetupUrlRequest: 'channel_type redirect_uri',
  SetupUrlResponse: 'setup_url session_id expires_at',
  ExchangeCodeRequest: `code ${webhook}`,
  ExchangeCodeResponse: `${identity} ${webhook}`,
  SendMessageRequest: 'channel_id recipient text',
  SendMediaRequest: 'channel_id recipient media_type media_url caption filename',
  SendTemplateRequest: 'channel_id recipient template_name language variables',
  TemplateVariables: 'header body buttons',
  TemplateButtonValue: 'index value',
  MessageReceivedData: received,
  EventMedia: 'media_id voice mime_type file_size filename sha256 duration_ms download_url error expires_at',
  MessageEchoData: 'message_id recipient status type text caption media unsupported_type',
  EchoMedia: 'media_id download_url unavailable kind',
  MessageSentData: status,
  MessageDeliveredData: status,
  MessageReadData: status,
  MessageFailedData: `${status} error errors`,
  UpstreamError: 'code title',
  ValidationError: 'loc msg type',
};

export const events =
  'message.received message.echo message.sent message.delivered message.read message.failed';

export const errorCodes = 'text_too_long invalid_recipient recipient_equals_sender';
