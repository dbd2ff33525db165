import { describe, expect, it } from 'vitest';
import {
  type ApiDocument,
  operationGroups,
  operationsOf,
  shownHeaders,
} from '../../../../../src/cabinet/pages/docs/reference/api-document.ts';
import { curlCall } from '../../../../../src/cabinet/pages/docs/reference/operation-page.tsx';
import { schemaExample } from '../../../../../src/cabinet/pages/docs/reference/schemas.ts';

const api: ApiDocument = {
  info: { title: 'Example' },
  tags: [{ name: 'Second' }, { name: 'First', description: 'Comes later.' }],
  paths: {
    '/v1/things/{id}': {
      patch: {
        operationId: 'changeThing',
        tags: ['First'],
        security: [{ session: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { example: 'thing_1' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  name: { type: 'string', example: "it's" },
                  size: { type: 'integer' },
                },
              },
            },
          },
        },
        responses: { 200: { description: '', headers: { Common: { $ref: '#/x/Common' } } } },
      },
      delete: { tags: ['First'], security: [] },
    },
    '/v1/pictures': {
      post: {
        operationId: 'send',
        security: [{ key: [] }],
        requestBody: { content: { 'application/octet-stream': {} } },
        responses: { 200: { description: '', content: { 'image/png': {} } } },
      },
      get: { operationId: 'list', tags: ['Second'] },
    },
  },
  components: {
    headers: { Common: { description: 'Everywhere.', example: 7, required: true } },
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    },
    schemas: {
      Tree: {
        type: 'object',
        properties: {
          name: { type: 'string', format: 'email' },
          parent: { $ref: '#/components/schemas/Tree' },
          left: { type: ['string', 'null'] },
        },
        required: ['name', 'left'],
      },
    },
  },
};

function call(id: string): string {
  const operation = operationsOf(api).find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`no ${id}`);
  return curlCall(api, 'https://img.example', operation);
}

describe('the operations of a document', () => {
  it('have ids, made of method and path where they have no id', () => {
    expect(operationsOf(api).map(({ id }) => id)).toEqual([
      'changeThing',
      'delete--v1-things-id-',
      'list',
      'send',
    ]);
  });

  it('are grouped in the order of the tags, the rest at the end', () => {
    const groups = operationGroups(api).map(({ name, description, operations }) => [
      name,
      description,
      operations.length,
    ]);
    expect(groups).toEqual([
      ['Second', '', 1],
      ['First', 'Comes later.', 2],
      ['Other', '', 1],
    ]);
  });

  it('begin with what the service is for, and end with what deletes', () => {
    const call = (operationId: string) => ({ operationId, tags: ['First'] });
    const paths = {
      '/v1/quota': { get: call('getQuota') },
      '/v1/me': { get: call('getMe'), delete: call('deleteMe') },
      '/v1/optimize': { post: call('optimize') },
      '/v1/keys': { post: call('createKey') },
    };
    const [group] = operationGroups({ ...api, paths });
    expect(group?.operations.map(({ id }) => id)).toEqual([
      'optimize',
      'getQuota',
      'getMe',
      'createKey',
      'deleteMe',
    ]);
  });

  it('have headers, those that are referred to included', () => {
    const operation = operationsOf(api).find(({ id }) => id === 'changeThing');
    expect(shownHeaders(api, operation?.responses?.['200']?.headers ?? {})).toEqual([
      { name: 'Common', example: '7', description: 'Everywhere.', isRequired: true, schema: {} },
    ]);
  });
});

describe('an example call', () => {
  it('fills the path, sends the cookie, and quotes its JSON for the shell', () => {
    expect(call('changeThing')).toBe(
      `curl -sS --fail-with-body "https://img.example/v1/things/thing_1" -X PATCH \\
  -b "sid=$SESSION" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"it'\\''s"}'`,
    );
  });

  it('sends a picture as it is, and keeps the one that comes back', () => {
    expect(call('send')).toBe(
      `curl -sS --fail-with-body "https://img.example/v1/pictures" \\
  -H "Authorization: Bearer $KEY" \\
  --data-binary @photo.jpg \\
  > answer && mv answer smaller.jpg || (cat answer; false)`,
    );
  });

  it('is short where nothing is needed', () => {
    expect(call('list')).toBe('curl -sS --fail-with-body "https://img.example/v1/pictures"');
    expect(call('delete--v1-things-id-')).toBe(
      'curl -sS --fail-with-body "https://img.example/v1/things/{id}" -X DELETE',
    );
  });
});

describe('an example of a schema', () => {
  it('has what is required, and what has an example of its own', () => {
    const tree = { $ref: '#/components/schemas/Tree' };
    expect(schemaExample(api, tree)).toEqual({ name: 'you@gmail.com', left: null });
    const fields = {
      kept: { type: 'string', example: 'shown' },
      left: { type: 'string' },
      choice: { enum: ['first', 'second'], default: 'second' },
    } as const;
    const schema = { type: 'object', properties: fields, required: ['choice'] };
    expect(schemaExample(api, schema)).toEqual({ kept: 'shown', choice: 'second' });
  });

  it('ends where a schema contains itself', () => {
    const items = { $ref: '#/components/schemas/Loop' };
    const endless = { components: { schemas: { Loop: { type: 'array', items } } } };
    const example = schemaExample({ ...api, ...endless }, items);
    expect(JSON.stringify(example)).toMatch(/^\[+null\]+$/);
  });
});
