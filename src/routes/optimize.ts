import { formatFacts, inputFacts, namesOf } from '../image/formats/facts.ts';
import { newId } from '../store/database.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { refuseKey } from './http/credentials.ts';
import { headersWith } from './http/openapi-parts.ts';
import {
  imageProblems,
  imageRequest,
  picturesOf,
  thrownForImages,
  waysToSend,
} from './optimize/image-request.ts';
import { optionsSchema } from './optimize/options.ts';
import { imageHeaders } from './optimize/picture-headers.ts';
import { allowanceOf, reserveFile } from './optimize/reservation.ts';
import { turns } from './optimize/scheduler.ts';
import { respondingWithPicture, serveImage } from './optimize/serve.ts';

const contract = defineRoute({
  method: 'post',
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make an image smaller',
  description: `Send an image and get a smaller one back in the same call. The image is not stored. Takes ${namesOf(inputFacts, 'and')} of up to 32 MiB. ${waysToSend}

If neither format nor dimensions change, the result is never larger than the source. A file is charged only if \`Image-Optimized\` is \`true\`.`,
  credential: 'api-key',
  rawBody: true,
  problems: imageProblems,
  thrown: thrownForImages(),
  request: imageRequest(optionsSchema, { format: 'webp', width: 800 }),
  responses: {
    200: {
      description: 'The image.',
      headers: headersWith([], imageHeaders),
      // An animation may be returned in a format that the service reads but does not write.
      content: picturesOf(formatFacts),
    },
  },
});

/** POST /v1/optimize, for programs with a key. */
export const optimize = createRouter();

handleRaw(optimize, contract, async (c) => {
  const { key } = c.var;
  const job = await turns.arrive(key.mailboxId, c.req.raw.signal);
  try {
    const refuse = (isExpired: boolean) => refuseKey(c, isExpired ? null : key);
    const allowance = allowanceOf(c, await reserveFile(c, { id: newId('res'), refuse }));
    return await serveImage(c, job, allowance, respondingWithPicture(c, allowance));
  } finally {
    job.end();
  }
});
