import Stripe from 'stripe';
import { z } from 'zod';

/** Seconds for which a signature is valid. */
const maxSignatureAge = 300;

/** Of the header `Stripe-Signature`, in characters: some thirty signatures, where secrets that roll make two. */
const maxSignatureLength = 2048;

/**
 * Whether a header `Stripe-Signature` could belong to some body: it has the form
 * `t=…,v1=…` and is not too old. Whatever else stands in it is ignored, as are
 * times ahead of ours, since the verifier does so, too.
 * @param now in milliseconds
 */
export function couldBeSigned(signature: string, now: number): boolean {
  if (signature.length > maxSignatureLength) return false;
  const items = signature.split(',').map((item) => item.split('='));
  // the verifier goes by the last of several times
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
 * @param text exactly what arrived, a byte order mark included; null: it was not UTF-8, which all that Stripe signs is
 * @param signature the header `Stripe-Signature`
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

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Events contain other objects as ids, or in full; either way the id is read. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);

const metadata = z.object({ payment_id: z.string().nullish() }).nullish();

/** Packs cost 10⁸ at most; multiplied by the files of one, this stays in 64 bits. */
const minorUnits = z.int().min(0).max(1e10);

/** The members of Stripe's objects that are read; anything else in their place makes an event malformed. */
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

/** A Checkout session, and the payment that its metadata says it is for. */
export interface SessionReference {
  readonly sessionId: string;
  readonly paymentId: string | null;
}

/** What an event says about a payment, as far as it matters here. Amounts are in minor units. */
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
      /** Of the whole charge, all refunds until then together. */
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
  /** Where Stripe shows the receipt of a charge. */
  | {
      readonly kind: 'receipt';
      readonly paymentIntent: string;
      readonly paymentId: string | null;
      readonly url: string;
    }
  | { readonly kind: 'ignored' }
  /** An event of one of the types above that does not have Stripe's documented form. */
  | { readonly kind: 'malformed'; readonly eventId: string; readonly type: string };

const ignored: PaymentEvent = { kind: 'ignored' };

/** A thin event (`v2.core.event`) has no object: none of those that are asked for. */
const envelope = z.object({
  object: z.literal('event').optional(),
  id: z.string().optional(),
  type: z.string(),
  data: z.object({ object: z.unknown().optional() }).nullish().catch(null),
});

/** Interprets an event of Stripe. */
export function paymentEventOf(event: unknown): PaymentEvent {
  const parsed = envelope.safeParse(event);
  if (!parsed.success) return ignored;
  const { id: eventId = '', type, data } = parsed.data;
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) return ignored;
  return read(data?.object) ?? { kind: 'malformed', eventId, type };
}

/** Reads the object of an event; null when it does not have Stripe's documented form. */
type Reader = (object: unknown) => PaymentEvent | null;

const readers: Readonly<Record<string, Reader>> = {
  'checkout.session.completed': reading(checkoutSession, paid),
  'checkout.session.async_payment_succeeded': reading(checkoutSession, paid),
  'checkout.session.async_payment_failed': reading(checkoutSession, (it) => ({
    kind: 'failed',
    session: referenceTo(it),
  })),
  'checkout.session.expired': reading(checkoutSession, (it) => ({
    kind: 'expired',
    session: referenceTo(it),
  })),
  'charge.succeeded': reading(receipt, receiptOf),
  'charge.updated': reading(receipt, receiptOf),
  'charge.refunded': reading(charge, refunded),
  'charge.dispute.created': reading(dispute, (it) => disputed(it, 'disputed')),
  'charge.dispute.closed': reading(dispute, (it) => disputed(it, outcomeOf(it))),
};

function reading<Schema extends z.ZodType>(
  schema: Schema,
  meaningOf: (object: z.infer<Schema>) => PaymentEvent,
): Reader {
  return (object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? meaningOf(parsed.data) : null;
  };
}

type Session = z.infer<typeof checkoutSession>;
type Charge = z.infer<typeof charge>;
type Receipt = z.infer<typeof receipt>;
type Dispute = z.infer<typeof dispute>;

/** With a delayed payment method a session is complete before the money has arrived; another event follows. */
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

function refunded(of: Charge): PaymentEvent {
  if (of.payment_intent === null) return ignored;
  return {
    kind: 'refunded',
    paymentIntent: of.payment_intent,
    paymentId: of.metadata?.payment_id ?? null,
    refunded: of.amount_refunded,
    // less than our own price is not believed in any case
    total: of.amount,
    isFull: of.refunded,
    currency: of.currency,
  };
}

/** A charge that takes its time has its receipt later than it succeeds. */
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
 * An inquiry that ends as `warning_closed` never became a dispute: the money
 * stays with the service. Every other end but `won` returns it to the customer.
 */
function outcomeOf({ status }: Dispute): 'dispute-won' | 'dispute-lost' {
  return status === 'won' || status === 'warning_closed' ? 'dispute-won' : 'dispute-lost';
}

function referenceTo({ id, metadata }: Session): SessionReference {
  return { sessionId: id, paymentId: metadata?.payment_id ?? null };
}
