import { createRoute, z } from '@hono/zod-openapi';
import { jsonBody } from '../bodies/json-body.ts';
import { endedEarly } from '../bodies/patient-reader.ts';
import { jsonProblems, jsonRequest, jsonResponse, success } from '../contracts/json.ts';
import { problemResponses, problemResponsesLike } from '../contracts/problem-responses.ts';
import { id, timestamp } from '../contracts/values.ts';
import { signedIn } from '../gates/session.ts';
import { eventTooLarge } from './webhook-body.ts';

const tags = ['Payment'];
const security = [{ session: [] }];

const files = z.int().min(1).openapi({ example: 1000 });
const amount = z
  .int()
  .min(1)
  .openapi({ description: 'In the minor unit of the currency.', example: 500 });
const currency = z
  .string()
  .openapi({ description: 'ISO 4217, lower case.', pattern: '^[a-z]{3}$', example: 'usd' });

export const packs = createRoute({
  method: 'get',
  path: '/v1/payments/packs',
  operationId: 'listPacks',
  tags,
  summary: 'What is for sale',
  security: [],
  responses: {
    200: jsonResponse(
      'The packs, as they are configured.',
      z.object({
        items: z.array(
          z.object({ id: z.string().openapi({ example: 'small' }), files, amount, currency }),
        ),
      }),
    ),
    ...problemResponses('key_in_query', 'internal_error'),
  },
});

export const checkout = createRoute({
  method: 'post',
  path: '/v1/payments/checkout',
  operationId: 'startCheckout',
  tags,
  summary: 'Start buying a pack',
  description:
    'The files are credited when Stripe tells that the money has come, which is seconds after most payments. 20 checkouts in 24 hours may go unpaid.',
  security,
  middleware: [signedIn, jsonBody],
  request: {
    body: jsonRequest(z.object({ pack: z.string().openapi({ description: 'Id of a pack.' }) }), {
      pack: 'small',
    }),
  },
  responses: {
    200: jsonResponse(
      'Send the customer there to pay.',
      z.object({
        url: z.url().openapi({
          pattern: '^https?://',
          example: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3',
        }),
      }),
    ),
    ...problemResponses(
      ...jsonProblems,
      'auth_required',
      'too_many_requests',
      'payment_provider_failed',
      'payments_not_configured',
    ),
  },
});

export const list = createRoute({
  method: 'get',
  path: '/v1/payments',
  operationId: 'listPayments',
  tags,
  summary: 'List your payments, the newest first',
  security,
  middleware: [signedIn],
  responses: {
    200: jsonResponse(
      'All of them, unpaid ones included.',
      z.object({
        items: z.array(
          z
            .object({
              id: id('pay'),
              created_at: timestamp,
              pack: z.string(),
              files,
              amount,
              currency,
              status: z.enum(['pending', 'paid', 'refunded', 'failed']).openapi({
                description: '`refunded`: in full, or disputed; after a part of it `paid` stays.',
              }),
            })
            .openapi('Payment'),
        ),
      }),
    ),
    ...problemResponses('key_in_query', 'auth_required', 'internal_error', 'overloaded'),
  },
});

/** For the OpenAPI document. */
export const webhook = createRoute({
  method: 'post',
  path: '/v1/payments/webhook',
  operationId: 'receivePaymentEvent',
  tags,
  summary: 'Take an event from Stripe',
  description:
    'For Stripe alone, which signs every delivery and repeats it until it is answered 200. Events may come twice and in any order.',
  security: [],
  request: {
    headers: z.object({
      'Stripe-Signature': z
        .string()
        .openapi({ description: 'Over the exact body, at most five minutes old.' }),
    }),
    body: {
      required: true,
      description: 'An event object of Stripe, at most 1 MiB.',
      content: { 'application/json': { schema: z.looseObject({ type: z.string() }) } },
    },
  },
  responses: {
    200: jsonResponse('Booked, or nothing that concerns this service.', success),
    ...problemResponsesLike(
      [endedEarly(), eventTooLarge()],
      'invalid_request',
      'invalid_signature',
      'key_in_query',
      'request_timeout',
      'body_too_large',
      'internal_error',
      'overloaded',
      'payments_not_configured',
    ),
  },
});
