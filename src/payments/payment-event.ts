import Stripe from 'stripe';
import { z } from 'zod';

/** The maximum age of a signature, in seconds. */
const maxSignatureAge = 300;

/**
 * The maximum length of a `Stripe-Signature` header, in characters: room for about thirty signatures, while a secret
 * being rolled makes two.
 */
const maxSignatureLength = 2048;

/**
 * Whether a `Stripe-Signature` header could be valid for some body: it has the form `t=…,v1=…` and is not too old.
 * Other items are ignored, and timestamps in the future are accepted, because the verifier does the same.
 * @param now in milliseconds
 */
export function couldBeSigned(signature: string, now: number): boolean {
  if (signature.length > maxSignatureLength) return false;
  const items = signature.split(',').map((item) => item.split('='));
  // If there are several timestamps, the verifier uses the last one.
  const [, time = ''] = items.findLast(([name]) => name === 't') ?? [];
  const age = Math.floor(now / 1000) - Number(time);
  return (
    /^\d{1,12}$/.test(time) &&
    age <= maxSignatureAge &&
    items.some(([name, value = '']) => name === 'v1' && /^[\da-f]{64}$/.test(value))
  );
}

/**
 * Verifies the signature of a webhook delivery and reads its event.
 * @param text the body exactly as received, including any byte order mark; null if it was not UTF-8, which everything
 * that Stripe signs is
 * @param signature the `Stripe-Signature` header
 */
export async function readSignedEvent(
  text: string | null,
  signature: string,
  webhookSecret: string,
): Promise<PaymentEvent | { readonly kind: 'invalid-signature' }> {
  const provider = Stripe.createSubtleCryptoProvider();
  const verifier = Stripe.webhooks.signature;
  if (verifier === null) throw new Error('this build of stripe cannot check signatures');
  if (text === null) return { kind: 'invalid-signature' };
  try {
    await verifier.verifyHeaderAsync(text, signature, webhookSecret, maxSignatureAge, provider);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      return { kind: 'invalid-signature' };
    }
    throw error;
  }
  return paymentEventOf(parsed(text));
}

/** Parses JSON; returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A related object, which events contain as an id or in full; either way, the id is read. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);

const metadata = z.object({ payment_id: z.string().nullish() }).nullish();

/**
 * An amount in minor units. Packs cost at most 10⁸, so the product of an amount and a pack's file count fits in 64
 * bits.
 */
const minorUnits = z.int().min(0).max(1e10);

/** The members of Stripe's objects that are read; an event with unexpected values for them is malformed. */
const checkoutSession = z.object({
  id: z.string(),
  metadata,
  payment_intent: reference,
  payment_status: z.enum(['paid', 'no_payment_required', 'unpaid']),
  amount_subtotal: minorUnits.nullish(),
  currency: z.string().nullish(),
});

const charge = z.object({
  payment_intent: reference,
  metadata,
  amount: minorUnits,
  amount_refunded: minorUnits,
  refunded: z.boolean(),
  currency: z.string(),
});

const receipt = z.object({
  payment_intent: reference,
  metadata,
  receipt_url: z
    .url({ protocol: /^https$/ })
    .max(2000)
    .nullish(),
});

const dispute = z.object({ id: z.string(), payment_intent: reference, status: z.string() });

/** A Checkout session and the payment id in its metadata. */
export interface SessionReference {
  readonly sessionId: string;
  readonly paymentId: string | null;
}

/** The parts of an event about a payment that the service uses. Amounts are in minor units. */
export type PaymentEvent =
  | {
      readonly kind: 'paid';
      readonly session: SessionReference;
      readonly paymentIntent: string | null;
      readonly subtotal: number | null;
      readonly currency: string | null;
    }
  | { readonly kind: 'failed' | 'expired'; readonly session: SessionReference }
  | {
      readonly kind: 'refunded';
      readonly paymentIntent: string;
      readonly paymentId: string | null;
      /** The amount refunded so far of the whole charge: the sum of all its refunds. */
      readonly refunded: number;
      readonly total: number;
      readonly isFull: boolean;
      readonly currency: string;
    }
  | {
      readonly kind: 'disputed' | 'dispute-won' | 'dispute-lost';
      readonly disputeId: string;
      readonly paymentIntent: string;
    }
  /** The URL at which Stripe shows the receipt of a charge. */
  | {
      readonly kind: 'receipt';
      readonly paymentIntent: string;
      readonly paymentId: string | null;
      readonly url: string;
    }
  | { readonly kind: 'ignored' }
  /** An event of one of the supported types that does not have Stripe's documented form. */
  | { readonly kind: 'malformed'; readonly eventId: string; readonly type: string };

const ignored: PaymentEvent = { kind: 'ignored' };

/** The envelope of an event. Thin events (`v2.core.event`) have no object, and none of the supported types is thin. */
const envelope = z.object({
  object: z.literal('event').optional(),
  id: z.string().optional(),
  type: z.string(),
  data: z.object({ object: z.unknown().optional() }).nullish().catch(null),
});

/** Interprets a Stripe event. */
export function paymentEventOf(event: unknown): PaymentEvent {
  const parsed = envelope.safeParse(event);
  if (!parsed.success) return ignored;
  const { id: eventId = '', type, data } = parsed.data;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!reader) return ignored;
  return reader(data?.object) ?? { kind: 'malformed', eventId, type };
}

/** Reads the object of an event; returns null if it does not have Stripe's documented form. */
type Reader = (object: unknown) => PaymentEvent | null;

const readers: Readonly<Record<string, Reader>> = {
  'checkout.session.completed': readerFor(checkoutSession, paid),
  'checkout.session.async_payment_succeeded': readerFor(checkoutSession, paid),
  'checkout.session.async_payment_failed': readerFor(checkoutSession, (it) => ({
    kind: 'failed',
    session: referenceTo(it),
  })),
  'checkout.session.expired': readerFor(checkoutSession, (it) => ({
    kind: 'expired',
    session: referenceTo(it),
  })),
  'charge.succeeded': readerFor(receipt, receiptOf),
  'charge.updated': readerFor(receipt, receiptOf),
  'charge.refunded': readerFor(charge, refunded),
  'charge.dispute.created': readerFor(dispute, (it) => disputed(it, 'disputed')),
  'charge.dispute.closed': readerFor(dispute, (it) => disputed(it, outcomeOf(it))),
};

function readerFor<Schema extends z.ZodType>(
  schema: Schema,
  toEvent: (object: z.infer<Schema>) => PaymentEvent,
): Reader {
  return (object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? toEvent(parsed.data) : null;
  };
}

type Session = z.infer<typeof checkoutSession>;
type Charge = z.infer<typeof charge>;
type Receipt = z.infer<typeof receipt>;
type Dispute = z.infer<typeof dispute>;

/** With a delayed payment method, a session completes before the money arrives; another event follows when it does. */
function paid(session: Session): PaymentEvent {
  if (session.payment_status === 'unpaid') return ignored;
  return {
    kind: 'paid',
    session: referenceTo(session),
    paymentIntent: session.payment_intent,
    subtotal: session.amount_subtotal ?? null,
    currency: session.currency ?? null,
  };
}

function refunded(refundedCharge: Charge): PaymentEvent {
  if (refundedCharge.payment_intent === null) return ignored;
  return {
    kind: 'refunded',
    paymentIntent: refundedCharge.payment_intent,
    paymentId: refundedCharge.metadata?.payment_id ?? null,
    refunded: refundedCharge.amount_refunded,
    // The caller does not accept a total below our own price.
    total: refundedCharge.amount,
    isFull: refundedCharge.refunded,
    currency: refundedCharge.currency,
  };
}

/** For charges that take time, Stripe creates the receipt only after they have succeeded. */
function receiptOf({ payment_intent, metadata, receipt_url }: Receipt): PaymentEvent {
  if (payment_intent === null || !receipt_url) return ignored;
  const paymentId = metadata?.payment_id ?? null;
  return { kind: 'receipt', paymentIntent: payment_intent, paymentId, url: receipt_url };
}

function disputed(
  { id, payment_intent: paymentIntent }: Dispute,
  kind: 'disputed' | 'dispute-won' | 'dispute-lost',
): PaymentEvent {
  return paymentIntent === null ? ignored : { kind, disputeId: id, paymentIntent };
}

/**
 * The outcome of a closed dispute. An inquiry closed as `warning_closed` never became a dispute, so the service keeps
 * the money. Every other status except `won` returns it to the customer.
 */
function outcomeOf({ status }: Dispute): 'dispute-won' | 'dispute-lost' {
  return status === 'won' || status === 'warning_closed' ? 'dispute-won' : 'dispute-lost';
}

function referenceTo({ id, metadata }: Session): SessionReference {
  return { sessionId: id, paymentId: metadata?.payment_id ?? null };
}
