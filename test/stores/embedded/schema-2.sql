-- The tables of schema version 2, as its program made them.
create table owners (
  channel_id text primary key, -- '*': the whole process, see index.ts
  epoch integer not null
) strict, without rowid;

create table accounts (
  id text primary key,
  email text not null unique,
  name text,
  created_at integer not null
) strict;

create table api_keys (
  id text primary key,
  account_id text not null,
  hash text not null unique,
  hint text not null,
  created_at integer not null,
  revoked_at integer
) strict;
create index api_keys_of_account on api_keys (account_id, created_at, id);

create table redirects (
  id text primary key,
  account_id text not null,
  api_key_id text not null,
  uri_pattern text not null,
  created_at integer not null
) strict;
create index redirects_of_key on redirects (api_key_id, created_at, id);

create table subscriptions (
  id text primary key,
  account_id text not null,
  status text not null,
  source text not null,
  tier text not null,
  starts_at integer not null,
  expires_at integer,
  auto_renew integer not null,
  external_id text,
  created_at integer not null
) strict;
create index subscriptions_of_account on subscriptions (account_id, created_at, id);
create index subscriptions_by_external_id on subscriptions (external_id) where external_id is not null;
create table channels (
  id text primary key,
  account_id text not null,
  channel_type text not null,
  identity text,
  name text,
  is_active integer not null,
  phone_number_id text,
  phone_number text,
  business_account_id text,
  quality_rating text,
  photoapp_account_id text,
  photoapp_username text,
  page_id text,
  is_dual_use integer not null,
  token text,
  webhook_url text,
  webhook_secret text,
  webhook_events text,
  echo_statuses integer not null,
  subscription_id text,
  connected_at integer,
  created_at integer not null,
  reserved_code_hash text,
  reserved_expires_at integer,
  reserved_api_key_id text,
  reserved_identity text,
  reserved_subscription_id text,
  reserved_profile text
) strict;
create index channels_of_account on channels (account_id, created_at, id) where connected_at is not null;
create unique index channels_by_identity on channels (channel_type, identity) where identity is not null;
create unique index channels_by_slot on channels (subscription_id, channel_type) where subscription_id is not null;
create unique index channels_by_reserved_identity
  on channels (channel_type, reserved_identity) where reserved_identity is not null;
create unique index channels_by_reserved_slot
  on channels (reserved_subscription_id, channel_type) where reserved_subscription_id is not null;
create unique index channels_by_code on channels (reserved_code_hash) where reserved_code_hash is not null;
create index channels_by_code_expiry on channels (reserved_expires_at) where reserved_expires_at is not null;
create index active_channels_by_business on channels (business_account_id) where is_active = 1;
create index active_channels_by_page on channels (page_id) where is_active = 1;

create table setup_sessions (
  id text primary key,
  account_id text not null,
  api_key_id text not null,
  channel_type text not null,
  redirect_uri text not null,
  token_hash text not null,
  expires_at integer not null,
  finished_at integer
) strict;
create index setup_sessions_by_expiry on setup_sessions (expires_at);

create table idempotency (
  account_id text not null,
  key text not null,
  body_hash text not null,
  message_id text not null,
  answer text,
  created_at integer not null,
  primary key (account_id, key)
) strict, without rowid;
create index idempotency_by_age on idempotency (created_at);
create table messages (
  id text primary key,
  channel_id text not null,
  account_id text not null,
  channel_type text not null,
  origin text not null,
  recipient text not null,
  state text not null,
  rank integer not null,
  delivery_failed integer not null,
  copies integer not null,
  tries integer not null,
  attempted_at integer not null,
  next_try_at integer,
  upstream_ids text not null, -- in order of arrival; message_upstream_ids is its index
  error text,
  error_code integer,
  epoch integer not null,
  created_at integer not null,
  is_unread integer, -- 1: sent and not read; a column of its own, so that a rank changes without its index
  content blob
) strict;
create index open_messages on messages (channel_id, coalesce(next_try_at, attempted_at))
  where state in ('sending', 'queued');
create index unread_messages on messages (channel_id, recipient, attempted_at) where is_unread = 1;
create index messages_by_age on messages (created_at);

create table message_upstream_ids (
  channel_id text not null,
  upstream_id text not null,
  message_id text not null,
  primary key (channel_id, upstream_id, message_id)
) strict, without rowid;

create table unmatched_facts (
  channel_id text not null,
  id text not null,
  fact text not null,
  expires_at integer not null,
  primary key (channel_id, id)
) strict, without rowid;
create index unmatched_facts_by_expiry on unmatched_facts (expires_at);

create table deliveries (
  id text primary key,
  channel_id text not null,
  account_id text not null,
  event text not null,
  message_id text not null,
  state text not null,
  attempts integer not null,
  first_tried_at integer,
  next_due_at integer not null,
  last_result text,
  epoch integer not null,
  created_at integer not null,
  payload blob
) strict;
create index pending_deliveries on deliveries (channel_id, next_due_at) where state = 'pending';
create index deliveries_by_age on deliveries (created_at);

create table mails (
  id text primary key,
  account_id text not null,
  kind text not null,
  subject text not null,
  send_after integer not null,
  sent_at integer,
  created_at integer not null
) strict;
create index mails_by_age on mails (created_at, id);
create index mails_of_account on mails (account_id, created_at, id);
create index unsent_mails on mails (send_after) where sent_at is null;

create table mail_lines (
  mail_id text not null,
  position integer not null,
  line text not null,
  primary key (mail_id, position)
) strict, without rowid;
create table parked_facts (
  id text primary key,
  channel_id text not null,
  at integer not null,
  facts blob not null
) strict;
create index parked_facts_of_channel on parked_facts (channel_id, at, id);
pragma user_version = 2;
