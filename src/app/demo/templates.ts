/** Templates of the demo's business that only the platform's own manager makes: headers with a picture, a place and a product, and a carousel. */
import { ask } from './ask.ts';

const account = '311200000000001';
const manager = { authorization: `Bearer EAAbusiness-${account}` };

const bodyText = (text: string, example: string) => ({
  type: 'BODY',
  text,
  example: { body_text: [[example]] },
});
const picture = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } };
const card = {
  components: [
    picture,
    bodyText('Only {{1}}', '5 €'),
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'I take it' }] },
  ],
};

const templates: Readonly<Record<string, readonly object[]>> = {
  cake_photo: [picture, bodyText('Dear {{1}}, your cake looks like this.', 'Mia')],
  pickup_place: [
    { type: 'HEADER', format: 'LOCATION' },
    bodyText('Dear {{1}}, your cake waits for you here.', 'Mia'),
  ],
  cake_of_the_day: [
    { type: 'HEADER', format: 'PRODUCT' },
    bodyText('Dear {{1}}, this is our cake of the day.', 'Mia'),
    { type: 'BUTTONS', buttons: [{ type: 'SPM', text: 'View' }] },
  ],
  cake_choice: [
    bodyText('Dear {{1}}, these are our cakes.', 'Mia'),
    { type: 'CAROUSEL', cards: [card, card] },
  ],
};

/** Makes them, approved, before a number is connected: then the service reads them with the others. */
export async function addTemplates(simulator: string): Promise<void> {
  for (const [name, components] of Object.entries(templates)) {
    const plain = components.filter((component) => 'type' in component && component.type === 'BODY');
    const asked = { name, language: 'en_US', category: 'MARKETING', components: plain };
    await ask.post(`${simulator}/v25.0/${account}/message_templates`, asked, manager);
    const decided = { name, waba_id: account, event: 'APPROVED' };
    await ask.post(`${simulator}/control/templates`, decided);
    await ask.post(`${simulator}/control/templates`, { name, waba_id: account, components });
  }
}
