import { z } from 'zod';

/** Objects stand in events as their ids; one that is there in full has it too. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);

const metadata = z.object({ payment_id: z.string().nullish() }).nullish();

/** Packs cost 10⁸ at most; multiplied by the files of one, this stays in 64 bits. */
const minorUnits = z.int().min(0).max(1e10);

/** What is read of Stripe's objects; anything else in their place is no event for us. */
export const checkoutSession = z.object({
  id: z.string(),
  metadata,
  payment_intent: reference,
  payment_status: z.string(),
  amount_subtotal: minorUnits.nullish(),
  currency: z.string().nullish(),
});

export const charge = z.object({
  payment_intent: reference,
  metadata,
  amount: minorUnits,
  amount_refunded: minorUnits,
  refunded: z.boolean(),
  currency: z.string(),
});

export const dispute = z.object({ id: z.string(), payment_intent: reference, status: z.string() });
