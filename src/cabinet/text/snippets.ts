/** One way of calling the service. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/**
 * The same call in the languages that people most often make it from, ready to run.
 * @param key null: taken from the environment variable KEY
 */
export function snippets(origin: string, key: string | null): readonly Snippet[] {
  return [
    {
      name: 'curl',
      // an error is not written in the place of the image
      code: `curl -sS --fail "${origin}/v1/optimize" \\
  -H "Authorization: Bearer ${key ?? '$KEY'}" \\
  --data-binary @photo.jpg -o smaller.jpg \\
  -w 'HTTP %{http_code}: %header{image-input-bytes} → %header{image-output-bytes} bytes\\n'`,
    },
    {
      name: 'Node',
      code: `import { readFile, writeFile } from 'node:fs/promises';

const response = await fetch('${origin}/v1/optimize', {
  method: 'POST',
  headers: { Authorization: ${nodeCredentials(key)} },
  body: await readFile('photo.jpg'),
});
if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('smaller.jpg', Buffer.from(await response.arrayBuffer()));`,
    },
    {
      name: 'Python',
      code: `${key === null ? 'import os\n' : ''}import requests

with open("photo.jpg", "rb") as photo:
    response = requests.post(
        "${origin}/v1/optimize",
        headers={"Authorization": ${pythonCredentials(key)}},
        data=photo,
        timeout=120,
    )
response.raise_for_status()
with open("smaller.jpg", "wb") as smaller:
    smaller.write(response.content)`,
    },
    {
      name: 'PHP',
      code: `<?php
$call = curl_init('${origin}/v1/optimize');
curl_setopt_array($call, [
    CURLOPT_POSTFIELDS => file_get_contents('photo.jpg'),
    CURLOPT_HTTPHEADER => [
        ${phpCredentials(key)},
        'Content-Type: application/octet-stream',
    ],
    CURLOPT_RETURNTRANSFER => true,
]);
$picture = curl_exec($call);
if (curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 200) {
    throw new RuntimeException((string) $picture);
}
file_put_contents('smaller.jpg', $picture);`,
    },
  ];
}

function nodeCredentials(key: string | null): string {
  return key === null ? `\`Bearer \${process.env.KEY}\`` : `'Bearer ${key}'`;
}

function pythonCredentials(key: string | null): string {
  return key === null ? '"Bearer " + os.environ["KEY"]' : `"Bearer ${key}"`;
}

function phpCredentials(key: string | null): string {
  return key === null
    ? "'Authorization: Bearer ' . getenv('KEY')"
    : `'Authorization: Bearer ${key}'`;
}
