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
      code: `curl -sS "${origin}/v1/optimize" \\
  -H "Authorization: Bearer ${key ?? '$KEY'}" \\
  --data-binary @photo.jpg -o smaller.jpg -D -`,
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

/** The call for production, which waits and tries again where that helps. Keys come from the environment variable KEY. */
export function patientSnippets(origin: string): readonly Snippet[] {
  return [
    {
      name: 'curl',
      code: `# --retry waits as long as Retry-After says, and tries again after 408, 429 and most 5xx
curl -sS --fail --retry 4 --retry-max-time 120 "${origin}/v1/optimize" \\
  -H "Authorization: Bearer $KEY" \\
  --data-binary @photo.jpg -o smaller.jpg || cp photo.jpg smaller.jpg`,
    },
    {
      name: 'Node',
      code: `async function optimize(picture) {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch('${origin}/v1/optimize', {
      method: 'POST',
      headers: { Authorization: ${nodeCredentials(null)} },
      body: picture,
      signal: AbortSignal.timeout(120_000),
    });
    if (response.ok) return Buffer.from(await response.arrayBuffer());

    const { code, detail } = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get('Retry-After')) || 2 ** attempt;
    const isPassing = [408, 429].includes(response.status) || response.status >= 500;
    if (!isPassing || attempt === 5 || wait > 60) throw new Error(\`\${code}: \${detail}\`);
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}`,
    },
    {
      name: 'Python',
      code: `import os, time
import requests

def optimize(picture: bytes) -> bytes:
    for attempt in range(1, 6):
        response = requests.post(
            "${origin}/v1/optimize",
            headers={"Authorization": ${pythonCredentials(null)}},
            data=picture,
            timeout=120,
        )
        if response.status_code == 200:
            return response.content
        wait = int(response.headers.get("Retry-After", 2**attempt))
        is_passing = response.status_code in (408, 429) or response.status_code >= 500
        if not is_passing or attempt == 5 or wait > 60:
            raise RuntimeError(response.text)
        time.sleep(wait)`,
    },
    {
      name: 'PHP',
      code: `<?php
function optimize(string $picture): string
{
    for ($attempt = 1; ; $attempt++) {
        $wait = 2 ** $attempt;
        $call = curl_init('${origin}/v1/optimize');
        curl_setopt_array($call, [
            CURLOPT_POSTFIELDS => $picture,
            CURLOPT_HTTPHEADER => [
                ${phpCredentials(null)},
                'Content-Type: application/octet-stream',
            ],
            CURLOPT_HEADERFUNCTION => function ($call, $line) use (&$wait) {
                if (preg_match('/^retry-after: *(\\d+)/i', $line, $found)) $wait = (int) $found[1];
                return strlen($line);
            },
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 120,
        ]);
        $answer = curl_exec($call);
        $status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
        if ($status === 200) return $answer;
        $isPassing = $status === 408 || $status === 429 || $status >= 500;
        if (!$isPassing || $attempt === 5 || $wait > 60) throw new RuntimeException((string) $answer);
        sleep($wait);
    }
}`,
    },
  ];
}

/** Asks what is left: free of charge, the way to test a key from the environment variable KEY. */
export function quotaSnippet(origin: string): string {
  return `curl -sS "${origin}/v1/quota" -H "Authorization: Bearer $KEY"`;
}

/** One image in each of the three ways in which it can be sent. */
export function carrierSnippets(origin: string): readonly Snippet[] {
  const call = `curl -sS "${origin}/v1/optimize`;
  return [
    {
      name: 'Bytes',
      code: `${call}?format=webp&width=800" \\
  -H "Authorization: Bearer $KEY" \\
  --data-binary @photo.jpg -o photo.webp`,
    },
    {
      name: 'Form',
      code: `${call}" \\
  -H "Authorization: Bearer $KEY" \\
  -F file=@photo.jpg -F format=webp -F width=800 -o photo.webp`,
    },
    {
      name: 'URL',
      code: `${call}" \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{ "url": "https://images.example/photo.jpg", "format": "webp", "width": 800 }' \\
  -o photo.webp`,
    },
  ];
}

/** A call with nothing but options to say. */
export function optionSnippet(origin: string, query: string, from: string, to: string): string {
  return `curl -sS "${origin}/v1/optimize?${query}" \\
  -H "Authorization: Bearer $KEY" --data-binary @${from} -o ${to}`;
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
