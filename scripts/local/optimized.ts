/**
 * A picture as a service gives it back.
 * @param address of the call, with its options
 * @throws Error with the service's words
 */
export async function optimized(address: string, key: string, picture: Buffer): Promise<Buffer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: Uint8Array.from(picture),
  });
  if (!response.ok) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}
