import { inputFacts, namesOf } from '../image/formats/facts.ts';
import { newId } from '../store/database.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { refuseKey } from './http/credentials.ts';
import { headersWith } from './http/openapi-parts.ts';
import {
  imageProblems,
  imageRequest,
  thrownForImages,
  waysToSend,
} from './optimize/image-request.ts';
import { imageHeaders } from './optimize/picture-headers.ts';
import { reserveFile, setAllowanceOf } from './optimize/reservation.ts';
import { turns } from './optimize/scheduler.ts';
import { serveSet } from './sets/serve-set.ts';
import { listsInJson, setOptionsSchema } from './sets/set-options.ts';

const { 'Content-Disposition': disposition, ...ownHeaders } = imageHeaders;

const contract = defineRoute({
  method: 'post',
  path: '/v1/sets',
  operationId: 'optimizeSet',
  tags: ['Optimize'],
  summary: 'Make a whole set of images',
  description: `Send an image once, and get it back in several widths and formats, with the markup that shows them. Takes ${namesOf(inputFacts, 'and')} of up to 32 MiB.

The response is a ZIP archive that leaves while it is being made: files named \`<name>-<width>.<extension>\`, each with the bytes that a call of its own would give, and last \`manifest.json\`, [a list of them with the markup](/docs/sets). If a result fails, the manifest says so, and has the others. If the archive breaks off, the rest was not made, and is not charged.

${waysToSend}

Each result that is at least 1% smaller than the upload counts one file; a file for each is reserved before anything is made.`,
  credential: 'api-key',
  rawBody: true,
  problems: imageProblems,
  thrown: thrownForImages(),
  request: imageRequest(
    setOptionsSchema,
    { widths: [400, 800], formats: ['avif', 'webp', 'jpeg'] },
    listsInJson,
  ),
  responses: {
    200: {
      description: 'The archive. Its schema is that of its last file, `manifest.json`.',
      headers: headersWith([], {
        'Content-Disposition': {
          ...disposition,
          description:
            'A file name for the archive: that of the file or URL that was sent, otherwise `image.zip`.',
          example: 'attachment; filename="photo.zip"',
        },
        'Image-Width': {
          ...ownHeaders['Image-Width'],
          description: 'Width of the upright source, in pixels.',
        },
        'Image-Height': {
          ...ownHeaders['Image-Height'],
          description: 'Height of the upright source, in pixels.',
        },
        'Image-Input-Type': ownHeaders['Image-Input-Type'],
        'Image-Input-Bytes': ownHeaders['Image-Input-Bytes'],
        'Quota-Remaining': {
          ...ownHeaders['Quota-Remaining'],
          description:
            'Files left after this call, free and paid, if all of its results are charged.',
        },
      }),
      content: { 'application/zip': { schema: { contentMediaType: 'application/zip' } } },
    },
  },
});

/** POST /v1/sets, for programs with a key. */
export const sets = createRouter();

handleRaw(sets, contract, async (c) => {
  const { key } = c.var;
  const job = await turns.arrive(key.mailboxId, c.req.raw.signal);
  try {
    const refuse = (isExpired: boolean) => refuseKey(c, isExpired ? null : key);
    const reserved = await reserveFile(c, { id: newId('res'), refuse });
    return await serveSet(c, job, setAllowanceOf(c, reserved, refuse));
  } catch (error) {
    // Otherwise it goes on when the response has begun.
    job.end();
    throw error;
  }
});
