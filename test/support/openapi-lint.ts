import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * Findings that are none: these two say what a path answers, or one that does
 * not exist, and no operation can refer to that.
 */
const exceptions = new Set([
  'no-unused-components #/components/responses/NotFound',
  'no-unused-components #/components/responses/MethodNotAllowed',
]);

/** What Redocly's recommended rules find, errors and warnings alike. */
export async function lintOpenApi(document: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: document, absoluteRef: '/openapi.json', config });
  return found
    .map(({ ruleId, location, message }) => ({ at: `${ruleId} ${location[0]?.pointer}`, message }))
    .filter(({ at }) => !exceptions.has(at))
    .map(({ at, message }) => `${at}: ${message}`);
}
