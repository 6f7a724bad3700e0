import type { Router } from 'express';
import { findPhone } from './accounts-api.ts';
import { asBag, asList, asText, type Bag } from './bag.ts';
import type { Call } from './call.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, GraphError } from './graph-error.ts';
import { nodeTypes } from './node-types.ts';
import { fileProblem, newAttachment, pageRefusals } from './kept-attachments.ts';
import { addMedia } from './media-api.ts';
import type { Page } from './model.ts';
import type { UploadedFile } from './multipart.ts';
import { attachmentOf } from './send-page.ts';
import { findPage } from './thread-api.ts';
import { uploaded } from './uploads.ts';
import type { World } from './world.ts';

const verticalDefault = 'RETAIL';

/** Calls that clients make beside the sends: reusable attachments of pages, the business profile of a number [upstream protocol 9.1]. */
export function addMessagingRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.post(
    '/:id/message_attachments',
    graph((call, req) =>
      keepAttachment(world, findPage(world, call, param(req, 'id')), call.bag, call.files.get('filedata')),
    ),
  );
  router.get(
    '/:id/whatsapp_business_profile',
    graph((call, req) => showProfile(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/whatsapp_business_profile',
    graph((call, req) => changeProfile(world, call, param(req, 'id'))),
  );
}

/** `POST /{page}/message_attachments`: stores a file for later sends. */
async function keepAttachment(
  world: World,
  page: Page,
  bag: Bag,
  file: UploadedFile | undefined,
): Promise<{ attachment_id: string }> {
  const attachment = asBag(asBag(bag.message)?.attachment);
  if (!attachment) throw badParameter('The parameter message is required');
  const isPhoto = bag.platform === 'instagram';
  const { link, type } = attachmentOf(world, page, attachment, file !== undefined);
  const problem = file === undefined ? ((await link?.check()) ?? null) : fileProblem(file, type, isPhoto);
  if (problem) throw new GraphError(pageRefusals[problem.reason]);
  const id = newAttachment(world, page, isPhoto);
  const { filename, mimeType, bytes } = file ?? {};
  if (bytes !== undefined)
    addMedia(world, {
      id,
      content: uploaded(bytes),
      mimeType: mimeType ?? '',
      filename: filename ?? null,
      ownerPhone: null,
      isUpload: true,
    });
  return { attachment_id: id };
}

function showProfile(world: World, call: Call, id: string): Record<string, unknown> {
  const { profile } = findPhone(world, call, id);
  const shown = { messaging_product: 'whatsapp', vertical: verticalDefault, ...profile };
  return {
    data: [
      { ...pick(shown, asText(call.bag.fields), nodeTypes.businessProfile), messaging_product: 'whatsapp' },
    ],
  };
}

const limits = { about: 139, address: 256, description: 512, email: 128, vertical: 40 } as const;

function changeProfile(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  const changes: Record<string, unknown> = {};
  for (const [name, limit] of Object.entries(limits)) {
    const value = asText(call.bag[name]);
    if (value !== undefined && value.length > limit)
      throw badParameter(`Param ${name} must be at most ${limit} characters long.`);
    if (value !== undefined) changes[name] = value;
  }
  const websites = asList(call.bag.websites);
  if (websites) changes.websites = websites;
  phone.profile = { ...phone.profile, ...changes };
  return { success: true };
}
