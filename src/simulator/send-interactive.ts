import { asBag, asList, asText, type Bag } from './bag.ts';
import { badParameter, GraphError } from './graph-error.ts';

// What a text with something to press must look like [upstream docs: interactive messages; quick replies; button template].

/** A chatapp `interactive` member. Returns its text. Throws GraphError 131008 for what is missing, 131009 for what is too long. */
export function checkChatappInteractive(interactive: Bag | undefined): string {
  const action = asBag(interactive?.action);
  const type = asText(interactive?.type);
  if (interactive === undefined || type === undefined) throw missing("interactive['type']");
  if (action === undefined) throw missing("interactive['action']");
  const body = lengthOf(asBag(interactive.body)?.text, 'Body text', type === 'list' ? 4096 : 1024);
  for (const line of ['header', 'footer']) {
    const given = asBag(interactive[line]);
    if (given === undefined) continue;
    if (type === 'location_request_message') throw invalid(`Unexpected key "${line}"`);
    lengthOf(given.text, line, 60);
  }
  if (type === 'button') checkButtons(action);
  else if (type === 'list') checkList(action);
  else if (type === 'cta_url') checkUrl(action);
  else if (type !== 'location_request_message') throw invalid(`interactive['type'] is not one of the types`);
  else if (action.name !== 'send_location') throw invalid("action['name'] must be send_location");
  return body;
}

function checkButtons(action: Bag): void {
  const buttons = (asList(action.buttons) ?? []).map((each) => asBag(asBag(each)?.reply));
  if (buttons.length < 1 || buttons.length > 3)
    throw invalid('Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3');
  const ids = buttons.map((reply) => lengthOf(reply?.id, 'Button id', 256));
  const titles = buttons.map((reply) => lengthOf(reply?.title, 'Button title', 20));
  if (new Set(ids).size < ids.length || new Set(titles).size < titles.length)
    throw invalid('Duplicate button id or title');
}

function checkList(action: Bag): void {
  lengthOf(action.button, 'Button', 20);
  const sections = (asList(action.sections) ?? []).map(asBag);
  if (sections.length < 1 || sections.length > 10) throw invalid('Invalid sections count');
  if (sections.length > 1) for (const section of sections) lengthOf(section?.title, 'Section title', 24);
  const rows = sections.flatMap((section) => asList(section?.rows) ?? []).map(asBag);
  if (rows.length < 1 || rows.length > 10) throw invalid('Total row count exceed max allowed count: 10');
  const ids = rows.map((row) => lengthOf(row?.id, 'Row id', 200));
  if (new Set(ids).size < ids.length) throw invalid('Duplicated row id');
  for (const row of rows) {
    lengthOf(row?.title, 'Row title', 24);
    if (row?.description !== undefined) lengthOf(row.description, 'Row description', 72);
  }
}

function checkUrl(action: Bag): void {
  const parameters = asBag(action.parameters);
  lengthOf(parameters?.display_text, 'display_text', 20);
  if (!isWebUrl(parameters?.url)) throw invalid('url is not a valid URL');
}

/** `quick_replies` of a page's or photo account's message. Throws GraphError 100. */
export function checkQuickReplies(replies: unknown): void {
  const list = (asList(replies) ?? []).map(asBag);
  if (list.length < 1 || list.length > 13) throw badParameter('quick_replies must have 1 to 13 items');
  for (const reply of list) {
    if (reply?.content_type !== 'text') throw badParameter('quick_replies: content_type is not supported');
    checkPressed(reply);
  }
}

/** The payload of a button template. Throws GraphError 100. */
export function checkButtonTemplate(payload: Bag | undefined): void {
  const text = asText(payload?.text) ?? '';
  if (text === '' || Array.from(text).length > 640)
    throw badParameter('Length of param name_placeholder[text] must be between 1 and 640');
  const buttons = (asList(payload?.buttons) ?? []).map(asBag);
  if (buttons.length < 1 || buttons.length > 3) throw badParameter('Param buttons must have 1 to 3 items');
  for (const button of buttons) {
    if (button?.type === 'postback') checkPressed(button);
    else if (button?.type !== 'web_url' || !isWebUrl(button.url))
      throw badParameter('Param buttons is invalid');
    else checkPressed({ ...button, payload: '-' });
  }
}

function checkPressed(button: Bag): void {
  const [title, payload] = [asText(button.title) ?? '', asText(button.payload) ?? ''];
  if (title === '' || Array.from(title).length > 20)
    throw badParameter('Length of title must be between 1 and 20');
  if (payload === '' || payload.length > 1000)
    throw badParameter('Length of payload must be between 1 and 1000');
}

function isWebUrl(url: unknown): boolean {
  return typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url);
}

function lengthOf(value: unknown, what: string, most: number): string {
  const text = asText(value);
  if (text === undefined || text === '') throw missing(what);
  if (Array.from(text).length > most)
    throw invalid(`${what} length invalid. Min length: 1, Max length: ${most}`);
  return text;
}

function missing(what: string): GraphError {
  return new GraphError({ code: 131008, details: `The parameter ${what} is required.` });
}

function invalid(details: string): GraphError {
  return new GraphError({ code: 131009, details });
}
