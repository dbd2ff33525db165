import type {
  ApiDocument,
  Example,
  Header,
  MediaType,
  OperationObject,
  Reference,
  Schema,
} from './api-document.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** A call with what it is found by. */
export interface Operation extends OperationObject {
  /** Its anchor: the operationId. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** Calls that belong together. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** A response header, ready to be shown. */
export interface ShownHeader {
  readonly name: string;
  readonly example: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** All calls, in the document's order. */
export function operationsOf({ paths = {} }: ApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const byMethod: Readonly<Record<string, OperationObject>> = { ...item };
    return methods.flatMap((method) => {
      const operation = byMethod[method];
      if (!operation) return [];
      const id = operation.operationId ?? `${method}-${path.replace(/[^\w]+/g, '-')}`;
      return [{ ...operation, id, method: method.toUpperCase(), path }];
    });
  });
}

/** Calls by their first tag, the most important ones first; those of tags that the document does not describe come last. */
export function operationGroups(api: ApiDocument): readonly OperationGroup[] {
  const byTag = Map.groupBy(operationsOf(api), ({ tags }) => tags?.[0] ?? 'Other');
  const described = new Map((api.tags ?? []).map(({ name, description }) => [name, description]));
  const names = new Set([...described.keys(), ...byTag.keys()]);
  return [...names].flatMap((name) => {
    const operations = byTag.get(name);
    if (!operations) return [];
    const ordered = operations.toSorted((one, other) => importance(other) - importance(one));
    return [{ name, description: described.get(name) ?? '', operations: ordered }];
  });
}

/** What a service is there for comes before everything else, and what deletes after it. */
function importance({ id, method }: Operation): number {
  if (id === 'optimize') return 1;
  return method === 'DELETE' ? -1 : 0;
}

/** The headers of a response of a call. */
export function headersOf(
  api: ApiDocument,
  operationId: string,
  status: string,
): readonly ShownHeader[] {
  const operation = operationsOf(api).find(({ id }) => id === operationId);
  return shownHeaders(api, operation?.responses?.[status]?.headers ?? {});
}

/** Headers with their references followed. */
export function shownHeaders(
  api: ApiDocument,
  headers: Readonly<Record<string, Header | Reference>>,
): readonly ShownHeader[] {
  return Object.entries(headers).map(([name, entry]) => {
    const header = followed(entry, api.components?.headers ?? {});
    return {
      name,
      example: header?.example === undefined ? '' : String(header.example),
      description: header?.description ?? '',
      isRequired: header?.required ?? false,
      schema: header?.schema ?? {},
    };
  });
}

/** The named examples of a media type, with their references followed. */
export function examplesOf(
  api: ApiDocument,
  { examples = {} }: MediaType,
): readonly (readonly [string, Example])[] {
  return Object.entries(examples).flatMap(([name, entry]) => {
    const example = followed(entry, api.components?.examples ?? {});
    return example ? [[name, example] as const] : [];
  });
}

/** The last part of a reference: `ApiKey` of `#/components/schemas/ApiKey`. */
export function referenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function followed<Value extends object>(
  entry: Value | Reference,
  components: Readonly<Record<string, Value>>,
): Value | undefined {
  return '$ref' in entry ? components[referenceName(entry.$ref)] : entry;
}
