import type { Json } from '../../kernel/json.ts';

export const componentTypes = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'] as const;
export type ComponentType = (typeof componentTypes)[number];

/** [spec: TemplateComponentInput] The last two fields are upstream's, for authentication templates. [upstream §6.2] */
export interface ComponentInput {
  type: ComponentType;
  format?: string | null;
  text?: string | null;
  example?: Json | null;
  buttons?: readonly Json[] | null;
  add_security_recommendation?: boolean | null;
  code_expiration_minutes?: number | null;
}
