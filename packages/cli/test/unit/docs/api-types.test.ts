import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { createApp } from '../../../../../src/app.ts';
import { apiDocument } from '../../../../../src/routes/openapi.ts';
import { configWith } from '../../../../../test/support/config.ts';
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

it('src/api.ts has the types that the OpenAPI document describes', async () => {
  const nodes = await openapiTypes(usedPart());
  const file = join(import.meta.dirname, '../../../src/api.ts');
  await expect(head + astToString(nodes)).toMatchFileSnapshot(file);
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
