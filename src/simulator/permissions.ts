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

/** Features that review grants beside permissions. */
type AppFeature = 'business_asset_user_profile_access' | 'human_agent';

/** Whether the app has the feature; null: it has all. */
export function hasFeature(
  { app_features: granted }: { readonly app_features: readonly string[] | null },
  feature: AppFeature,
): boolean {
  return granted === null || granted.includes(feature);
}
