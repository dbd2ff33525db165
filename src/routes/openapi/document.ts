import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../../context.ts';
import { type ErrorCode, errorTable } from '../../errors.ts';
import { commonHeaders, headersWith } from '../contracts/headers.ts';
import { problemCatalogue } from '../contracts/problem-catalogue.ts';
import { problemExample } from '../contracts/problem-schema.ts';
import { introduction, tags } from './introduction.ts';
import { securitySchemes } from './security-schemes.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono<AppEnv>['getOpenAPI31Document']>;

const made = new WeakMap<OpenAPIHono<AppEnv>, OpenApiDocument>();

/**
 * OpenAPI 3.1 of all that `api` has registered, without its server. It takes
 * some milliseconds, so it is made when it is first asked for, and kept.
 * @param title of the service
 */
export function apiDocument(api: OpenAPIHono<AppEnv>, title: string): OpenApiDocument {
  const document = made.get(api) ?? describe(api, title);
  made.set(api, document);
  return document;
}

function describe(api: OpenAPIHono<AppEnv>, title: string): OpenApiDocument {
  const { components, ...document } = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title,
      description: introduction,
      version: '1.0.0',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    tags,
  });
  const responses = {
    // Answers of paths: they belong to no operation.
    NotFound: pathResponse('not_found'),
    MethodNotAllowed: pathResponse('method_not_allowed'),
  };
  const text = JSON.stringify([document.paths, responses]);
  const examples = Object.keys(errorTable)
    .filter((code): code is ErrorCode => text.includes(`"${exampleReference(code)}"`))
    .map((code) => [code, problemExample(code)] as const);
  return {
    ...document,
    components: {
      ...components,
      headers: commonHeaders,
      responses,
      examples: Object.fromEntries(examples),
      securitySchemes,
    },
  };
}

function pathResponse(code: 'not_found' | 'method_not_allowed') {
  return {
    description: problemCatalogue[code].when,
    headers: headersWith(code === 'method_not_allowed' ? ['Allow'] : []),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object' as const, properties: { code: { const: code } } },
          ],
        },
        examples: { [code]: { $ref: exampleReference(code) } },
      },
    },
  };
}

function exampleReference(code: string): string {
  return `#/components/examples/${code}`;
}
