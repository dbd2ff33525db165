import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../../src/cabinet/pages/docs/reference/api-document.ts';
import {
  choices,
  mergedObject,
  ruleWords,
  typeWords,
} from '../../../../../src/cabinet/pages/docs/reference/schemas.ts';

describe('schemas in words', () => {
  const cases: readonly (readonly [string, Schema])[] = [
    ['string', { type: 'string' }],
    ['string or null', { type: ['string', 'null'] }],
    ['integer or null', { type: 'integer', nullable: true }],
    ['timestamp or null', { type: ['string', 'null'], format: 'date-time' }],
    ['string (uuid)', { type: 'string', format: 'uuid' }],
    ['file', { type: 'string', contentMediaType: 'application/octet-stream' }],
    ['bytes', { contentMediaType: 'image/png' }],
    ['ApiKey', { $ref: '#/components/schemas/ApiKey' }],
    ['list of ApiKey', { type: 'array', items: { $ref: '#/components/schemas/ApiKey' } }],
    ['list of list of integer', { items: { type: 'array', items: { type: 'integer' } } }],
    ['string or integer', { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['string', { oneOf: [{ const: 'a', type: 'string' }, { type: 'string' }] }],
    ['Problem and object', { allOf: [{ $ref: '#/x/Problem' }, { properties: {} }] }],
    ['object', { properties: {} }],
    ['value', { enum: ['a', 1] }],
    ['anything', {}],
  ];

  it.each(cases)('says "%s" of %j', (words, schema) => {
    expect(typeWords(schema)).toBe(words);
  });

  it('says what a value must be like', () => {
    expect(ruleWords({ minimum: 1, maximum: 16384 })).toEqual(['1 to 16,384']);
    expect(ruleWords({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual(['at least 0']);
    expect(ruleWords({ exclusiveMinimum: 0, maxLength: 500, minItems: 1 })).toEqual([
      'more than 0',
      'at most 500 characters',
      'at least 1 entry',
    ]);
    expect(ruleWords({ type: 'string' })).toEqual([]);
  });

  it('lists what there is to choose from, text without quotes', () => {
    expect(choices({ enum: ['keep', 1, null] })).toEqual(['keep', '1', 'null']);
    expect(choices({ const: true })).toEqual(['true']);
  });

  it('takes the nameless parts of a schema together', () => {
    const merged = mergedObject({
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
        { properties: { more: { type: 'boolean' } } },
      ],
    });
    expect(merged).toEqual({
      type: 'object',
      properties: { code: { type: 'string' }, more: { type: 'boolean' } },
      required: ['code'],
    });
  });
});
