import Stripe from 'stripe';
import { type PaymentEvent, paymentEventOf } from './payment-event.ts';

/** Seconds for which a signature holds. */
const tolerance = 300;

/**
 * What a webhook delivery says, once its signature is known to be Stripe's and
 * not too old.
 * @param body exactly as it came
 * @param signature the header `Stripe-Signature`
 */
export async function readSignedEvent(
  body: Uint8Array,
  signature: string,
  webhookSecret: string,
): Promise<PaymentEvent | { readonly kind: 'invalid-signature' }> {
  const provider = Stripe.createSubtleCryptoProvider();
  const verifier = Stripe.webhooks.signature;
  if (verifier === null) throw new Error('this build of stripe cannot check signatures');
  // Bytes would be decoded leniently; this text stands for the very bytes, byte order mark and all.
  const text = exactText(body);
  if (text === null) return { kind: 'invalid-signature' };
  try {
    await verifier.verifyHeaderAsync(text, signature, webhookSecret, tolerance, provider);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      return { kind: 'invalid-signature' };
    }
    throw error;
  }
  return paymentEventOf(parsed(text));
}

/** Null: not UTF-8, which all that Stripe signs is. */
function exactText(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/** Undefined: no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
