/**
 * Dialog parameters of a login configuration, which contains the permissions and the kind of token. Without the override, upstream returns
 * a token in the fragment in place of a code. [upstream §2.1, §2.4]
 */
export function loginConfiguration(id: string | null): [name: string, value: string][] {
  if (id === null) return [];
  return [
    ['config_id', id],
    ['override_default_response_type', 'true'],
  ];
}
