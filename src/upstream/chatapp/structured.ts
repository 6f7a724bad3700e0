/** Contents of chatapp messages that are neither text nor file: a place, contacts, an order, the answers of a form. [upstream §4.2] */
import { asDegrees, asLink, asNumber, asWords, present, readItems } from '../bounded.ts';
import { readNested } from '../nested-json.ts';
import { asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';

type Content = Readonly<Record<string, unknown>> | undefined;

/** By upstream's type; any other type is passed on by its name alone. */
const readers = new Map<string, (message: Json) => Content>([
  ['location', (message) => readPlace(asRecord(message['location']))],
  ['contacts', (message) => present({ contacts: readItems(message['contacts'], readContact) })],
  ['order', (message) => readOrder(asRecord(message['order']))],
]);

export function readStructured(type: string, message: Json): Content {
  return readers.get(type)?.(message);
}

/** Without both coordinates it is no place. */
function readPlace(place: Json | null): Content {
  const latitude = asDegrees(place?.['latitude'], 90);
  const longitude = asDegrees(place?.['longitude'], 180);
  if (place === null || latitude === undefined || longitude === undefined) return undefined;
  const { name, address, url } = place;
  return {
    latitude,
    longitude,
    ...present({ name: asWords(name), address: asWords(address), url: asLink(url) }),
  };
}

function readContact(contact: Json): Content {
  return present({
    name: asWords(asRecord(contact['name'])?.['formatted_name']),
    phones: readItems(contact['phones'], (phone) =>
      present({
        phone: asWords(phone['phone']),
        wa_id: asWords(phone['wa_id']),
        user_id: asWords(phone['user_id']),
        type: asWords(phone['type']),
      }),
    ),
    emails: readItems(contact['emails'], (email) =>
      present({ email: asWords(email['email']), type: asWords(email['type']) }),
    ),
    organization: asWords(asRecord(contact['org'])?.['company']),
    // `contact_request`: the person answers the business, which asked for the number.
    origin: asWords(contact['origin']),
  });
}

function readOrder(order: Json | null): Content {
  if (order === null) return undefined;
  return present({
    catalog_id: asWords(order['catalog_id']),
    text: asWords(order['text']),
    items: readItems(order['product_items'], (item) =>
      present({
        product_id: asWords(item['product_retailer_id']),
        quantity: asNumber(item['quantity']),
        price: asNumber(item['item_price']),
        currency: asWords(item['currency']),
      }),
    ),
  });
}

/** The answers are JSON within a text. */
export function readForm(reply: Json | null): Content {
  if (reply === null) return undefined;
  return present({
    name: asWords(reply['name']),
    body: asWords(reply['body']),
    response: readNested(asText(reply['response_json'])),
  });
}
