import { createHash } from 'node:crypto';
import type { Request, Response as ExpressResponse, Router } from 'express';
import { reaches } from './access.ts';
import { asText } from './bag.ts';
import { answerError, answerText, authenticate, type Call } from './call.ts';
import { toCall, param, type GraphRoute } from './graph-route.ts';
import { findPhone } from './accounts-api.ts';
import { badParameter, missingObject } from './graph-error.ts';
import { newDigits, newSecret } from './ids.ts';
import { typeByName } from './links.ts';
import { sha256Of, sizeOf } from './media-bytes.ts';
import { isOver } from './media-life.ts';
import { sendFile } from './media-faults.ts';
import type { Kind, Media } from './model.ts';
import { checkUploaded, uploaded } from './uploads.ts';
import { sampleFiles } from './samples.ts';
import type { World } from './world.ts';

/** How long a chatapp media link is valid, ms [upstream protocol 5.1]. */
const linkLifeMs = 300_000;

/** Uploads, the bytes for media ids and CDN links, and sample files for outgoing links [upstream protocol 5]. */
export function addMediaRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get('/files/:name', (req, res) => sendSample(req, res));
  router.get('/whatsapp_business/attachments', (req, res) => sendAttachment(world, req, res));
  router.get('/cdn/:id', (req, res) => sendCdn(world, req, res));
  router.post(
    '/:id/media',
    graph((call, req) => upload(world, call, param(req, 'id'))),
  );
}

/** Required members of a new file; the others have defaults. */
export type NewMedia = Pick<Media, 'content' | 'mimeType' | 'filename' | 'ownerPhone'> &
  Partial<
    Pick<
      Media,
      | 'id'
      | 'status'
      | 'delayMs'
      | 'fault'
      | 'faultTimes'
      | 'redirectTo'
      | 'isChunked'
      | 'servedType'
      | 'isUpload'
    >
  >;

/** Adds a file that a person or a business sent. */
export function addMedia(world: World, fresh: NewMedia): Media {
  const media: Media = {
    type: 'media',
    id: newDigits('14', 17),
    status: 200,
    delayMs: 0,
    fault: null,
    faultTimes: 0,
    redirectTo: null,
    isChunked: false,
    servedType: null,
    isUpload: false,
    ...fresh,
    faulted: 0,
    downloads: 0,
    createdAt: world.now(),
    signature: newSecret('AR'),
  };
  world.addMedia(media);
  return media;
}

/** The hash and size that upstream states: correct, or wrong if the file's fault says so. */
export function statedOf(media: Media): { sha256: Buffer; size: number } {
  const right = sha256Of(media.content);
  const size = sizeOf(media.content);
  return {
    sha256: media.fault === 'wrong_sha256' ? Buffer.from(right.toReversed()) : right,
    size: media.fault === 'wrong_size' ? size + 1 : size,
  };
}

/** The link in a webhook: for chatapp valid for five minutes and only with the token, for pages public and signed. */
export function linkOf(world: World, kind: Kind, media: Media): string {
  if (kind !== 'chatapp') return `${world.publicUrl}/cdn/${media.id}?oe=${media.signature}`;
  const expires = Math.floor((world.now() + linkLifeMs) / 1000);
  return `${world.publicUrl}/whatsapp_business/attachments/?mid=${media.id}&ext=${expires}&hash=${makeLinkHash(media, expires)}`;
}

function makeLinkHash(media: Media, expires: number): string {
  return `AR${createHash('sha256').update(`${media.signature}${expires}`).digest('base64url').slice(0, 24)}`;
}

/** `GET /{media_id}` [upstream protocol 5.1]. */
export function showMedia(world: World, call: Call, media: Media): Record<string, unknown> {
  mayRead(world, call, media);
  if (media.fault === 'gone' || isOver(world, media)) throw missingObject(media.id);
  const { sha256, size } = statedOf(media);
  return {
    messaging_product: 'whatsapp',
    url: linkOf(world, 'chatapp', media),
    mime_type: media.mimeType,
    sha256: sha256.toString('hex'),
    file_size: world.settings.file_size_text ? String(size) : size,
    id: media.id,
  };
}

export function deleteMedia(world: World, call: Call, media: Media): { success: true } {
  mayRead(world, call, media);
  world.nodes.delete(media.id);
  return { success: true };
}

function mayRead(world: World, call: Call, media: Media, token = authenticate(world, call)): void {
  const phone = world.nodes.get(media.ownerPhone ?? '');
  const asked = asText(call.bag.phone_number_id);
  const isOwner = phone?.type === 'phone' && reaches(token, phone.waba);
  if (!isOwner || (asked !== undefined && asked !== phone.id)) throw missingObject(media.id, call.method);
}

function sendSample(req: Request, res: ExpressResponse): void {
  const file = sampleFiles.get(param(req, 'name'));
  if (!file) return answerText(res, 404, 'text/plain', 'not found');
  res.writeHead(200, { 'Content-Type': file.mimeType, 'Content-Length': file.bytes.length });
  res.end(file.bytes);
}

// [upstream protocol 5.1] 401 without a token, 404 after the expiry. Proofs belong to Graph calls: a link needs none.
function sendAttachment(world: World, req: Request, res: ExpressResponse): void {
  const call = toCall(req);
  const node = world.nodes.get(asText(call.bag.mid) ?? '');
  const expires = Number(asText(call.bag.ext) ?? '0');
  try {
    if (node?.type !== 'media') return answerText(res, 404, 'text/plain', '');
    if (call.bearer === undefined) return answerText(res, 401, 'text/plain', '');
    const token = world.tokens.authenticate(call.bearer, undefined, undefined, false);
    mayRead(world, { ...call, bag: {} }, node, token);
    const isGood = expires * 1000 >= world.now() && call.bag.hash === makeLinkHash(node, expires);
    if (!isGood) return answerText(res, 404, 'text/plain', '');
  } catch (error) {
    return answerError(res, error);
  }
  sendFile(world, node, res, `${world.publicUrl}${req.originalUrl}`);
}

function sendCdn(world: World, req: Request, res: ExpressResponse): void {
  const node = world.nodes.get(param(req, 'id'));
  if (node?.type !== 'media' || req.query.oe !== node.signature)
    return answerText(res, 404, 'text/plain', 'URL signature mismatch');
  sendFile(world, node, res, `${world.publicUrl}${req.originalUrl}`);
}

function upload(world: World, call: Call, id: string): { id: string } {
  const phone = findPhone(world, call, id);
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  const file = call.files.get('file');
  if (!file) throw badParameter('The parameter file is required');
  const { bytes, filename } = file;
  const mimeType = asText(call.bag.type) ?? file.mimeType;
  checkUploaded(mimeType, bytes.length);
  const kept = { content: uploaded(bytes), mimeType: typeByName(mimeType, filename), filename };
  return { id: addMedia(world, { ...kept, ownerPhone: phone.id, isUpload: true }).id };
}
