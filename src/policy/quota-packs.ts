import { z } from 'zod';

const whole = (largest: number) =>
  z.int('should be a whole number').min(1, 'should be 1 at least').max(largest, 'is too large');

const pack = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,32}$/, 'should be 1 to 32 of the characters a-z, 0-9 and "-"'),
  files: whole(1e8),
  /** In the minor unit of the currency, such as cents. */
  amount: whole(1e8),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/, 'should be an ISO 4217 code in lower case, such as "usd"'),
});

/** A number of files for sale, with its price. */
export type QuotaPack = Readonly<z.infer<typeof pack>>;

/** Schema that parses the packs of a deployment from JSON text. */
export const quotaPacks = z
  .string({ error: 'is missing' })
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue(
        'should be JSON such as [{"id":"small","files":1000,"amount":500,"currency":"usd"}]',
      );
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(pack, 'should be a list')
      .min(1, 'should have one pack at least')
      .max(50, 'should have at most 50 packs')
      .refine(
        (packs) => new Set(packs.map(({ id }) => id)).size === packs.length,
        'should not have two packs of one id',
      ),
  );
