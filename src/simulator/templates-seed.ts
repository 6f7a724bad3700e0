import { newDigits } from './ids.ts';
import type { Template, Waba } from './model.ts';
import { addTemplate } from './templates-change.ts';
import type { World } from './world.ts';

type Sample = Pick<Template, 'name' | 'language' | 'category' | 'parameterFormat' | 'components'>;

const samples: readonly Sample[] = [
  {
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hi from {{1}}', example: { header_text: ['Harbour Bakery'] } },
      {
        type: 'BODY',
        text: 'Dear {{1}}, order {{2}} is ready for pick-up.',
        example: { body_text: [['Mia', 'A-1007']] },
      },
      { type: 'FOOTER', text: 'See you soon' },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Track',
            url: 'https://shop.example/t/{{1}}',
            example: ['https://shop.example/t/A-1007'],
          },
          { type: 'QUICK_REPLY', text: 'Thanks' },
        ],
      },
    ],
  },
  ...[
    { language: 'en_US', text: 'Hello {{first_name}}, welcome to our shop!' },
    { language: 'de', text: 'Hallo {{first_name}}, willkommen in unserem Laden!' },
  ].map(({ language, text }): Sample => ({
    name: 'welcome',
    language,
    category: 'MARKETING',
    parameterFormat: 'NAMED',
    components: [
      {
        type: 'BODY',
        text,
        example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] },
      },
    ],
  })),
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Hello! This is a first message.' }],
  },
];

/** Adds the approved sample templates to the business account. The very first one has the id of the protocol's examples. */
export function addSeedTemplates(world: World, waba: Waba): void {
  for (const sample of samples) {
    const isFirst = waba.id === '311200000000001' && waba.templates.length === 0;
    const id = isFirst ? '900000000000091' : newDigits('9', 17);
    addTemplate(world, waba, { id, ...sample, status: 'APPROVED', quality: 'GREEN' });
  }
}
