/** An example of the API call in one language. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/**
 * A call that optimizes `photo.jpg`, ready to run in several languages. Each prints one line about the
 * result, and on an error fails with its text instead of writing it to the image file.
 * @param key null: read from the environment variable KEY
 */
export function snippets(origin: string, key: string | null): readonly Snippet[] {
  return [
    {
      name: 'curl',
      // counts of the transfer rather than headers: %{header} needs curl 7.84
      code: `curl -sS --fail "${origin}/v1/optimize" \\
  -H "Authorization: Bearer ${key ?? '$KEY'}" \\
  --data-binary @photo.jpg -o smaller.jpg \\
  -w 'HTTP %{http_code}: %{size_upload} → %{size_download} bytes\\n'`,
    },
    {
      name: 'Node',
      code: `// save as optimize.mjs, run with: node optimize.mjs
import { readFile, writeFile } from 'node:fs/promises';

const photo = await readFile('photo.jpg');
const response = await fetch('${origin}/v1/optimize', {
  method: 'POST',
  headers: { Authorization: ${nodeCredentials(key)} },
  body: photo,
});
if (!response.ok) throw new Error(await response.text());
const smaller = Buffer.from(await response.arrayBuffer());
await writeFile('smaller.jpg', smaller);
console.log(\`\${photo.length} → \${smaller.length} bytes\`);`,
    },
    {
      name: 'Python',
      code: `${key === null ? 'import os\n' : ''}import requests

with open("photo.jpg", "rb") as file:
    photo = file.read()
response = requests.post(
    "${origin}/v1/optimize",
    headers={"Authorization": ${pythonCredentials(key)}},
    data=photo,
    timeout=120,
)
if not response.ok:
    raise SystemExit(response.text)
with open("smaller.jpg", "wb") as file:
    file.write(response.content)
print(f"{len(photo)} → {len(response.content)} bytes")`,
    },
    {
      name: 'PHP',
      code: `<?php
$photo = file_get_contents('photo.jpg');
$call = curl_init('${origin}/v1/optimize');
curl_setopt_array($call, [
    CURLOPT_POSTFIELDS => $photo,
    CURLOPT_HTTPHEADER => [
        ${phpCredentials(key)},
        'Content-Type: application/octet-stream',
    ],
    CURLOPT_RETURNTRANSFER => true,
]);
$smaller = curl_exec($call);
if (curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 200) {
    throw new RuntimeException($smaller ?: curl_error($call));
}
file_put_contents('smaller.jpg', $smaller);
echo strlen($photo), ' → ', strlen($smaller), " bytes\\n";`,
    },
  ];
}

/** A call with options, for curl. */
export function snippetFor(origin: string, query: string): string {
  return `curl -sS --fail "${origin}/v1/optimize${query && `?${query}`}" \\
  -H "Authorization: Bearer $KEY" \\
  --data-binary @photo.jpg -o smaller`;
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
