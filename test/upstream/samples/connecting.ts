/** Answers of the calls that connect a channel. [upstream §2.1, §2.4] */

interface TokenAnswer {
  access_token: string;
  token_type: 'bearer';
  /** Seconds; absent if the token does not expire. */
  expires_in?: number;
}

interface Collection<Item> {
  data: Item[];
  /** `next` is absent on the last page. */
  paging?: { cursors?: { before: string; after: string }; next?: string };
}

interface AccountItem {
  id: string;
  name: string;
  access_token: string;
  tasks: string[];
  instagram_business_account?: { id: string; username: string; name?: string };
}

interface NumberItem {
  id: string;
  display_phone_number: string;
  verified_name: string;
  quality_rating: string;
  platform_type: string;
  is_on_biz_app: boolean;
  throughput?: { level: string };
  status?: string;
}

interface TokenInspection {
  data: {
    app_id: string;
    type: string;
    is_valid: boolean;
    scopes: string[];
    granular_scopes: { scope: string; target_ids?: string[] }[];
  };
}

export const sampleToken = {
  access_token: 'EAAbusinessTokenInvented',
  token_type: 'bearer',
} satisfies TokenAnswer;

export const sampleAccounts = {
  data: [
    {
      id: '520000000000005',
      name: 'Harbour Bakery',
      access_token: 'EAApageTokenInvented',
      tasks: ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'],
      instagram_business_account: {
        id: '17840000000000006',
        username: 'harbour.bakery',
        name: 'Harbour Bakery',
      },
    },
  ],
  paging: { cursors: { before: 'QVFIU1', after: 'QVFIU2' } },
} satisfies Collection<AccountItem>;

export const sampleNumbers = {
  data: [
    {
      id: '422300000000002',
      display_phone_number: '+1 555-010-0042',
      verified_name: 'Harbour Bakery',
      quality_rating: 'GREEN',
      platform_type: 'CLOUD_API',
      is_on_biz_app: false,
    },
  ],
  paging: { cursors: { before: 'QVFIA', after: 'QVFIB' } },
} satisfies Collection<NumberItem>;

export const sampleInspection = {
  data: {
    app_id: '700100200300400',
    type: 'SYSTEM_USER',
    is_valid: true,
    scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
    granular_scopes: [
      { scope: 'whatsapp_business_management', target_ids: ['311200000000001'] },
      { scope: 'whatsapp_business_messaging', target_ids: ['311200000000001'] },
    ],
  },
} satisfies TokenInspection;
