import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createApp } from '../../../../../src/app.ts';
import { inputFacts } from '../../../../../src/image/formats/facts.ts';
import { apiDocument } from '../../../../../src/routes/openapi.ts';
import { configWith } from '../../../../../test/support/config.ts';
import { imageTypeOf } from '../../../src/images.ts';

const document = JSON.parse(
  JSON.stringify(apiDocument(createApp(configWith()), 'Image optimization')),
);

const head = `/**
 * Types of the calls, made from the service's OpenAPI document by openapi-typescript. \`npm run docs\`
 * writes this file.
 */
`;

/**
 * The calls that the package makes, in the one way in which it sends images; types of the others would only be more to
 * read.
 */
function usedPart() {
  const content = { 'application/octet-stream': {} };
  const calls = ['/v1/optimize', '/v1/sets'].map((path) => {
    const { post } = document.paths[path];
    return [path, { post: { ...post, requestBody: { ...post.requestBody, content } } }];
  });
  const { Problem } = document.components.schemas;
  return {
    ...document,
    tags: [],
    paths: Object.fromEntries(calls),
    components: { ...document.components, schemas: { Problem }, responses: {} },
  };
}

it('src/client/api.ts has the types that the OpenAPI document describes', async () => {
  const nodes = await openapiTypes(usedPart());
  const file = join(import.meta.dirname, '../../../src/client/api.ts');
  await expect(head + astToString(nodes)).toMatchFileSnapshot(file);
});

it('a file of each format is recognized by its first bytes', async () => {
  const blank = { width: 8, height: 8, channels: 3, background: '#123456' } as const;
  for (const { type, mediaType } of inputFacts) {
    const file = await sharp({ create: blank }).toFormat(type).toBuffer();
    expect(imageTypeOf(file), type).toBe(mediaType);
  }
});
