/** Template calls of the API. */
import type { Answer } from './api.ts';
import type { Service } from './service.ts';
import type { Channel } from './world.ts';

/** The body of a template creation that upstream accepts, with `more` over it. */
export function draft(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const text = 'Dear {{1}}, order {{2}} is ready.';
  return {
    name,
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text, example: { body_text: [['Mia', 'A-1007']] } }],
    ...more,
  };
}

/** The template calls of one channel. */
export function templatesOf(service: Service, { id, key }: Pick<Channel, 'id' | 'key'>) {
  const path = `/api/v1/channels/${id}/templates`;
  return {
    list: (query = ''): Promise<Answer> => service.call('GET', `${path}${query}`, { key }),
    create: (body: unknown): Promise<Answer> => service.call('POST', path, { key, body }),
    read: (template: string): Promise<Answer> => service.call('GET', `${path}/${template}`, { key }),
    update: (template: string, body: unknown): Promise<Answer> =>
      service.call('PUT', `${path}/${template}`, { key, body }),
    remove: (template: string, query = ''): Promise<Answer> =>
      service.call('DELETE', `${path}/${template}${query}`, { key }),
  };
}

export type Templates = ReturnType<typeof templatesOf>;
