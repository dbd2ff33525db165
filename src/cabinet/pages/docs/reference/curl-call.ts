import type { ApiDocument } from './api-document.ts';
import type { Operation } from './operations.ts';
import { mediaExample } from './schema-example.ts';

/** A call as a curl command, with what it needs and no more. */
export function curlCall(api: ApiDocument, origin: string, operation: Operation): string {
  const { method, path, parameters = [], security = [], requestBody } = operation;
  const filledPath = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema }) => {
      const value = schema?.example ?? `<${name}>`;
      return text.replace(`{${name}}`, String(value));
    }, path);
  const lines = [`curl -sS "${origin}${filledPath}"`];
  if (method !== 'GET' && !(method === 'POST' && requestBody)) lines[0] += ` -X ${method}`;
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  for (const scheme of schemes) lines.push(...credentials(api, scheme));
  lines.push(...bodyArguments(api, operation));
  return lines.join(' \\\n  ');
}

function credentials({ components }: ApiDocument, name: string): string[] {
  const scheme = components?.securitySchemes?.[name];
  if (scheme?.type === 'http') return ['-H "Authorization: Bearer $KEY"'];
  if (scheme?.in === 'cookie') return [`-b "${scheme.name}=$SESSION"`];
  return [];
}

function bodyArguments(api: ApiDocument, { requestBody, responses }: Operation): string[] {
  if (!requestBody) return [];
  const { content } = requestBody;
  if ('application/octet-stream' in content) {
    const isPicture = Object.keys(responses?.['200']?.content ?? {}).some((type) =>
      type.startsWith('image/'),
    );
    return [`--data-binary @photo.jpg${isPicture ? ' -o smaller.jpg -D -' : ''}`];
  }
  const json = content['application/json'];
  if (!json) return [];
  const text = JSON.stringify(mediaExample(api, json) ?? {}).replaceAll("'", "'\\''");
  return ['-H "Content-Type: application/json"', `-d '${text}'`];
}
