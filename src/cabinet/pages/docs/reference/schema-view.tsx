import type { Child } from 'hono/jsx';
import { MarkedLine } from '../marked.tsx';
import { type MediaType, referenceName, type Schema } from './api-document.ts';
import {
  alternativesOf,
  choices,
  mergedObject,
  ruleWords,
  typeWords,
  valueWords,
} from './schemas.ts';

/** A schema with all of its fields, however deep; named schemas are links. */
export function SchemaView({ schema }: { schema: Schema }) {
  const merged = mergedObject(schema);
  const named = (schema.allOf ?? []).filter(({ $ref }) => $ref);
  return (
    <>
      {named.map((part) => (
        <p key={part.$ref}>
          All of <TypeName schema={part} />
          {merged.properties && ', and:'}
        </p>
      ))}
      {merged.properties ? (
        <Fields fields={fieldsOf(merged)} />
      ) : (
        named.length === 0 && (
          <p>
            <TypeName schema={merged} />
          </p>
        )
      )}
      {!merged.properties && <Inside schema={merged} />}
    </>
  );
}

/** The type of a value, with links to named schemas. */
export function TypeName({ schema }: { schema: Schema }): Child {
  if (schema.$ref) {
    const name = referenceName(schema.$ref);
    return <a href={`/docs/api#schema-${name}`}>{name}</a>;
  }
  if (schema.type === 'array' && schema.items) {
    return (
      <>
        list of <TypeName schema={schema.items} />
      </>
    );
  }
  return <>{typeWords(schema)}</>;
}

/** What a value may be besides its type: its choices, its rules and its default. */
export function ValueRules({ schema }: { schema: Schema }) {
  const alternatives = alternativesOf(schema);
  const parts = alternatives.length > 0 ? alternatives : [schema];
  const values = parts.flatMap(choices);
  const rules = parts.flatMap(ruleWords);
  const patterns = parts.flatMap(({ pattern }) => pattern ?? []);
  if (values.length + rules.length + patterns.length === 0 && schema.default === undefined) {
    return null;
  }
  return (
    <ul class="field-rules">
      {values.length > 0 && (
        <li>
          {values.length > 1 ? 'One of ' : 'Always '}
          {values.map((value, index) => (
            <span key={value}>
              {index > 0 && ', '}
              <code>{value}</code>
            </span>
          ))}
        </li>
      )}
      {rules.map((rule) => (
        <li key={rule}>{rule}</li>
      ))}
      {patterns.map((pattern) => (
        <li key={pattern}>
          matches <code>{pattern}</code>
        </li>
      ))}
      {schema.default !== undefined && (
        <li>
          default <code>{valueWords(schema.default)}</code>
        </li>
      )}
    </ul>
  );
}

function fieldsOf({ properties = {}, required = [] }: Schema) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: <TypeName schema={schema} />,
    isRequired: required.includes(name),
    children: (
      <>
        {schema.description && (
          <p>
            <MarkedLine text={schema.description} />
          </p>
        )}
        <ValueRules schema={schema} />
        <Inside schema={mergedObject(schema)} />
      </>
    ),
  }));
}

/** The fields of what is within a value: of an object, of the entries of a list, of alternatives. */
function Inside({ schema }: { schema: Schema }): Child {
  if (schema.properties) return <Fields fields={fieldsOf(schema)} />;
  if (schema.items) return <Inside schema={mergedObject(schema.items)} />;
  if (typeof schema.additionalProperties === 'object') {
    return (
      <>
        <p>
          Under each name: <TypeName schema={schema.additionalProperties} />
        </p>
        <Inside schema={mergedObject(schema.additionalProperties)} />
      </>
    );
  }
  const objects = alternativesOf(schema).map(mergedObject).filter(hasInside);
  if (objects.length === 0) return null;
  return (
    <>
      {objects.map((alternative, index) => (
        <div key={String(index)}>
          <p>{index === 0 ? 'Either:' : 'Or:'}</p>
          <Inside schema={alternative} />
        </div>
      ))}
    </>
  );
}

function hasInside({ properties, items, additionalProperties }: Schema): boolean {
  return Boolean(properties ?? items) || typeof additionalProperties === 'object';
}

/** Bodies by media type; media types with equal schemas are shown together. */
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

interface Field {
  readonly name: string;
  readonly type?: Child;
  readonly isRequired?: boolean;
  readonly children?: Child;
}

/** Named values with their types and meanings; what is inside one of them stands indented below it. */
function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl class="fields">
      {fields.map(({ name, type, isRequired, children }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
            {type && <span class="field-type">{type}</span>}
            {isRequired && <span class="field-required">required</span>}
          </dt>
          <dd>{children}</dd>
        </div>
      ))}
    </dl>
  );
}
