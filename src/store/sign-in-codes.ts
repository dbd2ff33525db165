const keyOf = (challengeId: string) => `code:${challengeId}`;

/**
 * Keeps a sealed code for so many seconds. Nobody has read this key before, so
 * no location has it cached as missing.
 */
export async function putSignInCode(
  kv: KVNamespace,
  challengeId: string,
  sealed: string,
  life: number,
): Promise<void> {
  await kv.put(keyOf(challengeId), sealed, { expirationTtl: life });
}

/**
 * The sealed code of a challenge; null when KV does not have it, or does not answer.
 * @param expected whether it should be there: then it is looked for twice, since KV may be a moment late
 */
export async function findSignInCode(
  kv: KVNamespace,
  challengeId: string,
  expected: boolean,
): Promise<string | null> {
  const look = () => kv.get(keyOf(challengeId)).catch(() => null);
  const sealed = await look();
  return sealed === null && expected ? look() : sealed;
}
