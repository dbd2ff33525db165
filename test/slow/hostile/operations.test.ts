import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignServer } from '../../support/fetching-service.ts';
import { type ApiOperation, anyText, arbitraryOf, operationsOf } from '../../support/operations.ts';
import { plainPicture } from '../../support/pictures.ts';
import { startTestService } from '../../support/service.ts';
import { StripeStandIn, stripeVars } from '../../support/stripe.ts';
import { expectSound, HostileCaller, hostileBodies, isAllowed } from './hostile-caller.ts';

const seed = 20_261_122;
const runs = 12;

// before the tests are made: they are made from the document that is served
const stripe = new StripeStandIn();
await stripe.start();
const foreign = new ForeignServer();
await foreign.start();
const service = await startTestService({
  ...stripeVars(stripe.origin),
  ...{ ALLOW_HTTP_SOURCES: 'true', PRIVATE_SOURCES: `127.0.0.1:${foreign.port}` },
});
const operations = operationsOf(await (await service.fetch('/v1/openapi.json')).json());
const caller = new HostileCaller(service, foreign.at('/picture.jpg'));

const json = 'application/json';
const inJson = (value: unknown) => ({ content: JSON.stringify(value), type: json });
const tried = {
  well: new Set<string>(),
  bodies: new Set<string>(),
  parameters: new Set<string>(),
};

let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 95 }).toBuffer());
  foreign.serve('/picture.jpg', photo);
});
afterAll(async () => {
  await service.close();
  await foreign.stop();
  await stripe.stop();
});

/** Runs a property with the seed that is printed, so that a failure can be had again. */
async function holds<Value>(
  arbitrary: fc.Arbitrary<Value>,
  property: (value: Value) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, property), {
    seed,
    numRuns: runs,
    endOnFailure: true,
  });
}

describe.each(operations)(`$name, by seed ${seed}`, (operation) => {
  const { name, body, parameters } = operation;

  it('answers what it should when all is well', async () => {
    for (const content of await goodContents(operation)) {
      const parameters = content?.parameters ?? {};
      const response = await caller.send(operation, { parameters, body: content });
      await expectSound(response, operation);
      expect(response.ok, `${name} ${response.status}`).toBe(true);
    }
    tried.well.add(name);
  }, 60_000);

  if (body) {
    it('takes or refuses any body that its schema allows', async () => {
      await holds(arbitraryOf(body), async (value) => {
        const content = withoutForeignUrl(value);
        await expectSound(await caller.send(operation, { body: inJson(content) }), operation);
      });
      tried.bodies.add(name);
    }, 60_000);

    it('refuses any body that its schema does not allow', async () => {
      const example = await caller.goodBody(operation);
      await holds(hostileBodies(example), async (hostile) => {
        const { bytes, type, what } = hostile;
        const text = Buffer.from(bytes).toString('utf8');
        const content = Buffer.from(text).equals(bytes) ? text : bytes;
        const response = await caller.send(operation, { body: { content, type } });
        await expectSound(response, operation);
        const mayPass = operation.isSigned || isAllowed(body, hostile);
        const isRefused = mayPass || response.status >= 400;
        expect(isRefused, `${name}: ${what}, answered ${response.status}`).toBe(true);
      });
      tried.bodies.add(name);
    }, 60_000);
  }

  it('takes or refuses any parameter', async () => {
    const [content = null] = await goodContents(operation);
    const known = parameters.filter((each) => each.in === 'path' || each.in === 'query');
    const hostile = [...known, { name: 'nobody', schema: {} }].map((each) =>
      fc.oneof(escaped, arbitraryOf(each.schema).map(part)).map((value) => [each.name, value]),
    );
    const given = fc
      .tuple(...hostile)
      .chain((pairs) => fc.subarray(pairs))
      .map((pairs): Record<string, string> => Object.fromEntries(pairs));
    await holds(given, async (values) => {
      const response = await caller.send(operation, { parameters: values, body: content });
      await expectSound(response, operation);
    });
    tried.parameters.add(name);
  }, 60_000);

  it('is for those who may only', async () => {
    const { credential } = operation;
    const [content = null] = await goodContents(operation);
    for (const credentials of ['none', 'bad'] as const) {
      const response = await caller.send(operation, { credentials, body: content });
      const text = await expectSound(response, operation);
      if (credential === null) continue;
      expect(response.status, `${name} with ${credentials}`).toBe(401);
      expect(text).toContain(credential === 'apiKey' ? 'invalid_api_key' : 'auth_required');
    }
  }, 60_000);
});

it('every operation of the document has been tried, in good faith and in bad', () => {
  const all = operations.map(({ name }) => name).sort();
  expect(all.length).toBeGreaterThan(15);
  expect([...tried.well].sort()).toEqual(all);
  expect([...tried.parameters].sort()).toEqual(all);
  const withBody = operations.filter(({ body }) => body !== null).map(({ name }) => name);
  expect([...tried.bodies].sort()).toEqual(withBody.sort());
});

/** What stands in URLs that nobody writes by hand. */
const escaped: fc.Arbitrary<string> = fc.oneof(
  anyText.map(part),
  fc.constantFrom(
    '%00',
    '%2F',
    '%2e%2e',
    '%2e%2e%2fme',
    '%ff',
    '%c3%28',
    '%F0%9F',
    '%',
    '%zz',
    '%25',
  ),
  fc.constantFrom(
    '2026-02-30',
    '0000-00-00',
    '9999-12-31',
    '-000001-01-01',
    '2026-1-1',
    'NaN',
    '1e9',
  ),
  fc.constantFrom(
    'key_',
    'key_Xk2v9QmB7sLwD4tR',
    'site_',
    'site_Xk2v9QmB7sLwD4tR',
    'x'.repeat(7000),
    '1&from=2&from=3',
    '__proto__',
  ),
);

function part(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

/** A body; null for none. Options that stand beside it are parameters. */
type GoodContent = {
  readonly content: BodyInit;
  readonly type: string | null;
  readonly parameters?: Readonly<Record<string, string>>;
} | null;

/** The options that an operation cannot do without, wherever they stand. */
function requiredOptions({ body, bodyExample }: ApiOperation): Record<string, string> {
  const example = bodyExample as Readonly<Record<string, unknown>>;
  const required = (body?.required ?? []) as readonly string[];
  const names = required.filter((name) => name !== 'url');
  return Object.fromEntries(names.map((name) => [name, String(example[name])]));
}

/** A body for each media type that an operation takes; none where it takes none. */
async function goodContents(operation: ApiOperation) {
  const { body, otherTypes } = operation;
  const contents: GoodContent[] = [];
  for (const type of otherTypes) {
    const form = new FormData();
    form.set('file', new Blob([photo]), 'a.jpg');
    const options = requiredOptions(operation);
    for (const [name, value] of Object.entries(options)) form.set(name, value);
    const isForm = type === 'multipart/form-data';
    contents.push(
      isForm ? { content: form, type: null } : { content: photo, type, parameters: options },
    );
  }
  if (body) contents.push(inJson(await caller.goodBody(operation)));
  return contents.length > 0 ? contents : [null];
}

/** Nothing is to be fetched from anywhere but here. */
function withoutForeignUrl(value: unknown): unknown {
  const isRequest = typeof value === 'object' && value !== null && 'url' in value;
  return isRequest ? { ...value, url: foreign.at('/picture.jpg') } : value;
}
