import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createApp } from '../../../../../src/app.ts';
import { formatFacts, inputFacts } from '../../../../../src/image/formats/facts.ts';
import { apiDocument } from '../../../../../src/routes/openapi.ts';
import { configWith } from '../../../../../test/support/config.ts';
import { help } from '../../../src/command/flags.ts';
import { imageTypeOf } from '../../../src/images.ts';
import { optionValues } from '../../../src/options.ts';

const document = JSON.parse(
  JSON.stringify(apiDocument(createApp(configWith()), 'Image optimization')),
);
const { post } = document.paths['/v1/optimize'];

const head = `/**
 * Types of the call, made from the service's OpenAPI document by openapi-typescript. \`npm run docs\`
 * writes this file.
 */
`;

/**
 * The one call that the package makes, in the one way in which it sends images; types of the others would only be more
 * to read.
 */
function usedPart() {
  const content = { 'application/octet-stream': {} };
  const call = { ...post, requestBody: { ...post.requestBody, content } };
  const { Problem } = document.components.schemas;
  return {
    ...document,
    tags: [],
    paths: { '/v1/optimize': { post: call } },
    components: { ...document.components, schemas: { Problem }, responses: {} },
  };
}

it('src/client/api.ts has the types that the OpenAPI document describes', async () => {
  const nodes = await openapiTypes(usedPart());
  const file = join(import.meta.dirname, '../../../src/client/api.ts');
  await expect(head + astToString(nodes)).toMatchFileSnapshot(file);
});

const formatsHead = `/**
 * Name and file extensions of each format, the usual one first, and whether the service accepts it. Made from the
 * service's registry of formats; \`npm run docs\` writes this file.
 */
`;

it('src/formats.ts has the formats of the registry', async () => {
  const entries = formatFacts.map(({ mediaType, type, extensions, isInput }) => {
    const list = extensions.map((one) => `'${one}'`).join(', ');
    return `  '${mediaType}': { name: '${type}', extensions: [${list}], isInput: ${isInput} },\n`;
  });
  const text = `${formatsHead}export const formats = {\n${entries.join('')}} as const;\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../../src/formats.ts'));
});

it('a file of each format is recognized by its first bytes', async () => {
  const blank = { width: 8, height: 8, channels: 3, background: '#123456' } as const;
  for (const { type, mediaType } of inputFacts) {
    const file = await sharp({ create: blank }).toFormat(type).toBuffer();
    expect(imageTypeOf(file), type).toBe(mediaType);
  }
});

it('the help names every format', () => {
  expect(help).toContain(` ${optionValues.format.words.join(', ')}\n`);
});

interface Schema {
  readonly enum?: readonly string[];
  readonly type?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
}

it('options take the values that the OpenAPI document describes', () => {
  const described = Object.fromEntries(
    post.parameters.map(({ name, schema }: { name: string; schema: Schema }) => {
      const schemas = schema.anyOf ?? [schema];
      const words = schemas.flatMap(({ enum: values = [] }) => values);
      const number = schemas.find(({ type }) => type === 'integer');
      const range = number && { min: number.minimum, max: number.maximum };
      const pattern = schemas.find((each) => each.pattern)?.pattern;
      return [name, { words, ...(range && { range }), ...(pattern && { pattern }) }];
    }),
  );
  expect(optionValues).toEqual(described);
});
