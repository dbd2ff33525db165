import type { MediaType, Schema } from './api-document.ts';
import { SchemaView } from './schema-view.tsx';

/** Bodies by media type; types that carry the same stand together. */
export function ContentView({ content }: { content: Readonly<Record<string, MediaType>> }) {
  const groups = Map.groupBy(Object.entries(content), ([, { schema = {} }]) => shapeOf(schema));
  return (
    <>
      {[...groups.values()].map((entries) => {
        const schema = entries[0]?.[1].schema ?? {};
        return (
          <div class="media" key={entries[0]?.[0]}>
            <p class="media-types">
              {entries.map(([type]) => (
                <code key={type}>{type}</code>
              ))}
            </p>
            {isBytes(schema) ? <p>The bytes of the file.</p> : <SchemaView schema={schema} />}
          </div>
        );
      })}
    </>
  );
}

/** Files of several types have the same schema but for its media type. */
function shapeOf({ contentMediaType, ...schema }: Schema): string {
  return JSON.stringify([contentMediaType !== undefined, schema]);
}

function isBytes({ contentMediaType, type, format }: Schema): boolean {
  return (contentMediaType !== undefined && type === undefined) || format === 'binary';
}
