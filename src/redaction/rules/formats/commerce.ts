import type { Format } from './format.ts'

/** Payments, shops and mail: what moves money or speaks in the user's name. */
export const commerceFormats: readonly Format[] = [
  {
    kind: 'stripe-key',
    starts: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    body: '\\w{16,}',
  },
  { kind: 'webhook-secret', starts: ['whsec_'], body: '[A-Za-z0-9+/]{24,}={0,2}' },
  { kind: 'api-key', starts: ['sk_'], body: '[A-Za-z0-9_]{20,}', mustLookRandom: true },
  { kind: 'pagarme-key', starts: ['ak_live_', 'ak_test_'], body: '[A-Za-z0-9]{24,}' },
  {
    kind: 'paddle-key',
    starts: ['pdl_live_apikey_', 'pdl_sdbx_apikey_'],
    body: '[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}',
  },
  { kind: 'polar-token', starts: ['polar_pat_', 'polar_oat_'], body: '[\\w-]{20,}' },
  { kind: 'razorpay-key', starts: ['rzp_live_', 'rzp_test_'], body: '[A-Za-z0-9]{14,}' },
  { kind: 'flutterwave-key', starts: ['FLWSECK', 'FLWPUBK'], body: '(?:_TEST)?-[0-9A-Za-z]{12,}(?:-X)?' },
  { kind: 'square-token', starts: ['sq0atp-', 'sq0csp-', 'sq0idp-'], body: '[\\w-]{22,}' },
  { kind: 'square-token', starts: ['EAAA'], body: '[\\w-]{56,}', mustLookRandom: true },
  { kind: 'facebook-token', starts: ['EAA'], body: '[A-Za-z0-9]{60,}', mustLookRandom: true },
  { kind: 'braintree-token', starts: ['access_token$'], body: '(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}' },
  { kind: 'easypost-key', starts: ['EZAK', 'EZTK'], body: '[A-Za-z0-9]{54}' },
  { kind: 'duffel-token', starts: ['duffel_test_', 'duffel_live_'], body: '[\\w=-]{40,}' },
  { kind: 'shippo-token', starts: ['shippo_live_', 'shippo_test_'], body: '[0-9a-f]{40}' },
  { kind: 'lob-key', starts: ['live_', 'test_'], body: '(?:pub_)?[0-9a-f]{31,}' },
  { kind: 'shopify-token', starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_'], body: '[A-Za-z0-9]{30,}' },
  { kind: 'sendgrid-key', starts: ['SG.'], body: '[\\w-]{16,32}\\.[\\w-]{16,}' },
  { kind: 'brevo-key', starts: ['xkeysib-', 'xsmtpsib-'], body: '[0-9a-f]{64}(?:-[A-Za-z0-9]{16})?' },
  { kind: 'mailgun-key', starts: ['key-', 'pubkey-'], body: '[0-9a-f]{32}' },
  { kind: 'resend-key', starts: ['re_'], body: '[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}', mustLookRandom: true },
]
