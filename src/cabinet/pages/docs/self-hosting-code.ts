/** The commands and files of /docs/self-hosting. */
export const selfHostingCode = {
  local: `npm start                                        # http://localhost:8787
KEY=$(npm run -s key -- you@gmail.com)           # in another terminal: an API key
curl -sS "http://localhost:8787/v1/optimize?format=webp" \\
  -H "Authorization: Bearer $KEY" \\
  --data-binary @samples/photo.jpg -o photo.webp -D -`,
  localMore: `PORT=9000 STATE_DIR=$HOME/images npm start       # another port, another place for its data
npm run grant -- you@gmail.com 1000              # adds 1,000 files to that user's quota
npm run demo -- *.jpg                            # a table of your own pictures, in three formats
npm test                                         # types, style and every test`,
  resources: `npx wrangler login
npx wrangler d1 create image-optimization-service
npx wrangler kv namespace create KV`,
  bindings: `[[d1_databases]]
binding = "DB"
database_name = "image-optimization-service"
database_id = "<from the first command>"
migrations_dir = "."
migrations_pattern = "./schema.sql"

[[kv_namespaces]]
binding = "KV"
id = "<from the second command>"`,
  secrets: `openssl rand -base64 32 | npx wrangler secret put CODE_SECRET
echo "1:$(openssl rand -base64 32)" | npx wrangler secret put KEY_SECRETS`,
  domain: `[[routes]]
pattern = "img.example"
custom_domain = true

[vars]
MAIL_FROM = "no-reply@img.example"
PUBLIC_ORIGIN = "https://img.example"`,
  deploy: `npm run deploy
curl -sS https://img.example/v1/health
npm run grant -- you@gmail.com 1000 --remote`,
  // `read -s` keeps them out of sight, of the history and of the list of processes
  stripe: `# Both at once: each change of secrets is deployed, and one of the two alone stops the start.
# Paste sk_… or rk_…, Enter, then whsec_…, Enter; neither is shown.
read -rs KEY && read -rs HOOK &&
  printf '{"STRIPE_SECRET_KEY":"%s","STRIPE_WEBHOOK_SECRET":"%s"}' "$KEY" "$HOOK" |
  npx wrangler secret bulk`,
  update: `git pull
npm test
npm run deploy`,
} as const;
