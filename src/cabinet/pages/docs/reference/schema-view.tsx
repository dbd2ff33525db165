import type { Child } from 'hono/jsx';
import { MarkedLine } from '../marked.tsx';
import { type ApiDocument, type MediaType, referenceName, type Schema } from './api-document.ts';
import { schemasLink } from './reference-entries.ts';
import {
  alternativesOf,
  choices,
  mergedObject,
  ruleWords,
  typeWords,
  valueWords,
} from './schemas.ts';

/** Where a schema is shown: the prefix of its fields' anchors, and whether callers send or receive the value. */
interface Place {
  readonly anchor: string;
  readonly isSent: boolean;
}

function within({ anchor, isSent }: Place, name: string): Place {
  return { anchor: `${anchor}-${name}`, isSent };
}

/** Shows a schema with all nested fields; named schemas are links. */
export function SchemaView({ schema, place }: { schema: Schema; place: Place }) {
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
        <Fields fields={fieldsOf(merged, place)} />
      ) : (
        named.length === 0 && (
          <p>
            <TypeName schema={merged} />
          </p>
        )
      )}
      {!merged.properties && <Inside schema={merged} place={place} />}
    </>
  );
}

/** The type of a value, with links to named schemas. */
export function TypeName({ schema }: { schema: Schema }): Child {
  if (schema.$ref) {
    const name = referenceName(schema.$ref);
    return <a href={`${schemasLink.path}#${name}`}>{name}</a>;
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

/** The constraints of a value besides its type: choices, rules and default. */
export function ValueRules({ schema }: { schema: Schema }) {
  const alternatives = alternativesOf(schema);
  const parts = alternatives.length > 0 ? alternatives : [schema];
  const values = parts.flatMap(choices);
  const rules = parts.flatMap(ruleWords);
  // The patterns of timestamps and days are described once, for the whole API.
  const patterns = parts.flatMap(({ pattern, format }) => (format ? [] : (pattern ?? [])));
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
          default {schema.default === '' ? 'empty' : <code>{valueWords(schema.default)}</code>}
        </li>
      )}
    </ul>
  );
}

/** For sent values, marks required fields; for received values, marks fields that may be absent. */
function noteOf(isRequired: boolean, { isSent }: Place): Field['note'] {
  if (isSent) return isRequired ? 'required' : null;
  return isRequired ? null : 'not always';
}

function fieldsOf({ properties = {}, required = [] }: Schema, place: Place): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    id: within(place, name).anchor,
    name,
    type: <TypeName schema={schema} />,
    note: noteOf(required.includes(name), place),
    children: (
      <>
        {schema.description && (
          <p>
            <MarkedLine text={schema.description} />
          </p>
        )}
        <ValueRules schema={schema} />
        <Inside schema={mergedObject(schema)} place={within(place, name)} />
      </>
    ),
  }));
}

/** The fields inside a value: an object, the entries of a list, or alternatives. */
function Inside({ schema, place }: { schema: Schema; place: Place }): Child {
  if (schema.properties) return <Fields fields={fieldsOf(schema, place)} />;
  if (schema.items) return <Inside schema={mergedObject(schema.items)} place={place} />;
  if (typeof schema.additionalProperties === 'object') {
    return (
      <>
        <p>
          Under each name: <TypeName schema={schema.additionalProperties} />
        </p>
        <Inside schema={mergedObject(schema.additionalProperties)} place={place} />
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
          <Inside schema={alternative} place={within(place, String(index))} />
        </div>
      ))}
    </>
  );
}

function hasInside({ properties, items, additionalProperties }: Schema): boolean {
  return Boolean(properties ?? items) || typeof additionalProperties === 'object';
}

/**
 * Shows bodies by media type. Media types with equal schemas are shown together, and a named object is shown with its
 * fields.
 * @param described fields that are described elsewhere, and only named here
 */
export function ContentView({
  api,
  content,
  place,
  described = {},
}: {
  api: ApiDocument;
  content: Readonly<Record<string, MediaType>>;
  place: Place;
  described?: Readonly<Record<string, Schema>>;
}) {
  const groups = Map.groupBy(Object.entries(content), ([, { schema = {} }]) => shapeOf(schema));
  return (
    <>
      {[...groups.values()].map((entries, index) => {
        const schema = entries[0]?.[1].schema ?? {};
        const { own, shared } = splitProperties(resolved(api, schema), described);
        return (
          <div class="media" key={entries[0]?.[0]}>
            <p class="media-types">
              {entries.map(([type]) => (
                <code key={type}>{type}</code>
              ))}
              {schema.$ref && <TypeName schema={schema} />}
            </p>
            {isBytes(schema) ? (
              <p>The bytes of the file.</p>
            ) : (
              <SchemaView schema={own} place={index === 0 ? place : within(place, String(index))} />
            )}
            {shared.length > 0 && (
              <p>
                And, under the same names as the parameters:{' '}
                {shared.map((name, at) => (
                  <span key={name}>
                    {at > 0 && ', '}
                    <a href={`#query-${name}`}>
                      <code>{name}</code>
                    </a>
                  </span>
                ))}
                .
              </p>
            )}
          </div>
        );
      })}
    </>
  );
}

/** Resolves a reference to its schema. */
function resolved({ components }: ApiDocument, schema: Schema): Schema {
  return schema.$ref ? (components?.schemas?.[referenceName(schema.$ref)] ?? schema) : schema;
}

/** Splits an object's properties into those described nowhere else, and the names of the others. */
function splitProperties(schema: Schema, described: Readonly<Record<string, Schema>>) {
  const { properties } = schema;
  if (!properties) return { own: schema, shared: [] };
  const shared = Object.keys(properties).filter((name) => name in described);
  const own = Object.entries(properties).filter(([name]) => !shared.includes(name));
  return { own: { ...schema, properties: Object.fromEntries(own) }, shared };
}

/** A key that is equal for schemas that differ only in their media type. */
function shapeOf({ contentMediaType, ...schema }: Schema): string {
  return JSON.stringify([contentMediaType !== undefined, schema]);
}

function isBytes({ contentMediaType, type, format }: Schema): boolean {
  return (contentMediaType !== undefined && type === undefined) || format === 'binary';
}

interface Field {
  readonly id: string;
  readonly name: string;
  readonly type?: Child;
  readonly note: 'required' | 'not always' | null;
  readonly children?: Child;
}

/** Named values with their types and meanings; nested fields are indented below. */
function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl class="fields">
      {fields.map(({ id, name, type, note, children }) => (
        <div key={name} id={id}>
          <dt>
            <code>{name}</code>
            {type && <span class="field-type">{type}</span>}
            {note && (
              <span class={note === 'required' ? 'field-required' : 'field-type'}>{note}</span>
            )}
          </dt>
          <dd>{children}</dd>
        </div>
      ))}
    </dl>
  );
}
