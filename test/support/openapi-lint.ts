import { createConfig, lintFromString } from '@redocly/openapi-core';

/** False positives: these two responses are for paths in general, and no operation can refer to them. */
const exceptions = new Set([
  'no-unused-components #/components/responses/NotFound',
  'no-unused-components #/components/responses/MethodNotAllowed',
]);

/** The findings of Redocly's recommended rules, both errors and warnings. */
export async function lintOpenApi(document: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: document, absoluteRef: '/openapi.json', config });
  return found
    .map(({ ruleId, location, message }) => ({ at: `${ruleId} ${location[0]?.pointer}`, message }))
    .filter(({ at }) => !exceptions.has(at))
    .map(({ at, message }) => `${at}: ${message}`);
}
