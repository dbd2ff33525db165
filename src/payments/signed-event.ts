import Stripe from 'stripe';
import { type PaymentEvent, paymentEventOf } from './payment-event.ts';

/**
 * What a webhook delivery says, once its signature is known to be Stripe's and
 * not older than five minutes.
 * @param body exactly as it came
 * @param signature the header `Stripe-Signature`
 */
export async function readSignedEvent(
  body: Uint8Array,
  signature: string,
  webhookSecret: string,
): Promise<PaymentEvent | { readonly kind: 'invalid-signature' }> {
  try {
    const event = await Stripe.webhooks.constructEventAsync(
      body,
      signature,
      webhookSecret,
      undefined,
      Stripe.createSubtleCryptoProvider(),
    );
    return typeof event?.type === 'string' ? paymentEventOf(event) : { kind: 'ignored' };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      return { kind: 'invalid-signature' };
    }
    if (error instanceof SyntaxError) return { kind: 'ignored' };
    throw error;
  }
}
