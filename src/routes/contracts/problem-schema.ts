import { z } from '@hono/zod-openapi';
import { ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { problemCatalogue } from './problem-catalogue.ts';
import { isRequired, membersOf, problemMembers } from './problem-members.ts';
import { count, timestamp } from './values.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const meanings = Object.fromEntries(codes.map((code) => [code, problemCatalogue[code].when]));

type Name = keyof typeof problemMembers;
const names = Object.keys(problemMembers) as Name[];

const schemas: Readonly<Record<Name, z.ZodType>> = {
  errors: z
    .array(
      z.object({
        path: z.string().openapi({ description: 'The field or option; empty: the whole body.' }),
        message: z.string(),
      }),
    )
    .min(1),
  free_resets_at: timestamp,
  limit_bytes: count,
  width: z.int().min(1),
  height: z.int().min(1),
  limit_pixels: count,
  supported: z.array(z.string()).min(1),
};

function described(name: Name): string {
  const { of, text } = problemMembers[name];
  return `${text} Only with ${of.map((code) => `\`${code}\``).join(' and ')}.`;
}

/** RFC 9457 problem details as every error of the API has them. */
export const problemSchema = z
  .object({
    type: z.url().openapi({ description: 'The entry of `code` on the error page.' }),
    title: z.string().openapi({ description: 'Short, the same for every error of this `code`.' }),
    status: z.int().openapi({ description: 'The HTTP status.' }),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(codes).openapi({
      description: 'Stable; program against this.',
      'x-enumDescriptions': meanings,
    }),
    request_id: z.string().openapi({ description: 'The same as the header `Request-Id`.' }),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        schemas[name].optional().openapi({ description: described(name) }),
      ]),
    ),
  })
  .openapi('Problem', { description: 'An error, as RFC 9457 has it.' });

/** What narrows a problem down to these codes, each with the members that it always has. */
export function narrowed(codes: readonly ErrorCode[]): z.ZodType {
  const [plain, special] = [false, true].map((wanted) =>
    codes.filter((code) => requiredOf(code).length > 0 === wanted),
  );
  const parts = [
    ...(plain?.length ? [z.object({ code: z.enum(plain) })] : []),
    ...(special ?? []).map((code) =>
      z.object({
        code: z.literal(code),
        ...Object.fromEntries(requiredOf(code).map((name) => [name, schemas[name]])),
      }),
    ),
  ];
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('there is no code');
  return others.length === 0 ? first : z.union([first, ...others]);
}

function requiredOf(code: ErrorCode): Name[] {
  const own = membersOf(code).map(({ name }) => name);
  return names.filter((name) => own.includes(name) && isRequired(name));
}

/** Every error as an OpenAPI example, by its code. */
export function problemExample(code: ErrorCode) {
  const { detail, members = {} } = problemCatalogue[code];
  return exampleOf(new ApiError(code, detail, { members }));
}

/** An error as it is thrown, as an OpenAPI example. */
export function exampleOf({ code, message, members }: ApiError) {
  const { status, title } = errorTable[code];
  return {
    summary: title,
    description: problemCatalogue[code].when,
    value: {
      type: `https://img.example/docs/errors#${code}`,
      title,
      status,
      detail: message,
      code,
      request_id: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
      ...members,
    },
  };
}
