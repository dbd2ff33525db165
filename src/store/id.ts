/** An opaque identifier such as `key_3f1c…`: a type prefix and 122 random bits. */
export function newId<Type extends string>(type: Type): `${Type}_${string}` {
  return `${type}_${crypto.randomUUID().replaceAll('-', '')}`;
}
