/** Permissions of an app to which the use cases for the three kinds were added in the dashboard. */
export const usualPermissions: readonly string[] = [
  'business_management',
  'email',
  'instagram_basic',
  'instagram_manage_messages',
  'pages_manage_metadata',
  'pages_messaging',
  'pages_read_engagement',
  'pages_show_list',
  'public_profile',
  'whatsapp_business_management',
  'whatsapp_business_manage_events',
  'whatsapp_business_messaging',
];
