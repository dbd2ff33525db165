import { DocsTable } from '../docs-table.tsx';

/** How long what ends by itself is kept. */
export interface Lives {
  readonly sessionDays: number;
  readonly codeMinutes: number;
}

/** What is stored, where, and for how long. */
export function Storage({ sessionDays, codeMinutes }: Lives) {
  const rows = [
    [
      'Accounts: address, plan, what is left of the quota',
      'D1',
      'for good; the address until the account is deleted, then as HMAC until the month is over, so that its free files are not given twice',
    ],
    [
      'Keys: SHA-256, and the key itself under AES-256-GCM; name, comment, counters',
      'D1',
      'for good; name, comment and the key itself until the account is deleted',
    ],
    [
      'Files and bytes by key and day',
      'D1',
      'for good; without a person once the account is deleted',
    ],
    [
      'Payments: pack, amount, status, Stripe’s ids, refunds and disputes',
      'D1',
      'for good, as accounts have to be kept',
    ],
    [
      'Sessions: SHA-256 of the cookie',
      'D1 and KV',
      `${sessionDays} days; in D1, which every request asks, until sign-out`,
    ],
    ['Sign-in codes, as HMAC', 'KV', `${codeMinutes} minutes`],
    [
      'Who asked for codes and tried them: address and network, as HMAC',
      'D1',
      'a day, for the limits',
    ],
    ['Files set aside for requests in flight', 'D1', 'until the request has ended'],
  ] as const;
  return (
    <>
      <p>Pictures are never stored, and keys, addresses and image URLs are never logged.</p>
      <DocsTable
        caption="What is stored where"
        columns={['What', 'Where', 'For how long']}
        rows={rows.map((cells) => ({ id: cells[0], cells }))}
      />
    </>
  );
}
