/** Bodies and answers of the calls about templates. [upstream §6] */

interface TemplateItem {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: 'POSITIONAL' | 'NAMED';
  components: TemplateComponent[];
  quality_score?: { score: string; date?: number };
  rejected_reason?: string;
  last_updated_time?: string;
}

interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  example?: {
    header_text?: string[];
    body_text?: string[][];
    header_text_named_params?: { param_name: string; example: string }[];
    body_text_named_params?: { param_name: string; example: string }[];
  };
  buttons?: { type: string; text?: string; url?: string; example?: string[] | string }[];
}

interface TemplatePage {
  data: TemplateItem[];
  /** `next` is absent on the last page. */
  paging?: { cursors?: { before: string; after: string }; next?: string };
}

interface TemplateCreated {
  id: string;
  status: string;
  category: string;
}

export const sampleTemplatePage = {
  data: [
    {
      id: '900000000000091',
      name: 'order_ready',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      components: [
        {
          type: 'BODY',
          text: 'Dear {{1}}, order {{2}} is ready.',
          example: { body_text: [['Mia', 'A-1007']] },
        },
      ],
      quality_score: { score: 'GREEN', date: 1767225600 },
      rejected_reason: 'NONE',
    },
  ],
  paging: { cursors: { before: 'MAZDZD', after: 'MjQZD' } },
} satisfies TemplatePage;

export const sampleTemplateCreate = {
  name: 'welcome',
  language: 'de',
  category: 'MARKETING',
  parameter_format: 'NAMED',
  components: [{ type: 'BODY', text: 'Willkommen in unserem Laden!' }],
};

export const sampleTemplateCreated = {
  id: '900000000000092',
  status: 'PENDING',
  category: 'MARKETING',
} satisfies TemplateCreated;

export const sampleTemplateEdit = {
  components: [{ type: 'BODY', text: 'Ihre Bestellung ist fertig.' }],
  category: 'UTILITY',
};

export const sampleTemplateRefusal = {
  error: {
    message: 'Invalid parameter',
    type: 'OAuthException',
    code: 100,
    error_subcode: 2388024,
    is_transient: false,
    error_user_title: 'Content in this language already exists',
    error_user_msg: 'There is already en_US content for this template.',
    fbtrace_id: 'A8inv',
  },
};
