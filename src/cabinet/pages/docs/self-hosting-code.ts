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
npx wrangler d1 create image-optimization-service`,
  secrets: `openssl rand -base64 32 | npx wrangler secret put CODE_SECRET
KEY_SECRETS="1:$(openssl rand -base64 32)"
printf %s "$KEY_SECRETS" | npx wrangler secret put KEY_SECRETS
echo "$KEY_SECRETS"                              # keep it where you keep passwords`,
  domain: `[[routes]]
pattern = "img.example"
custom_domain = true

# of [vars], in the place of what is there
MAIL_FROM = "no-reply@img.example"
PUBLIC_ORIGIN = "https://img.example"`,
  dryRun: 'npm run deploy -- --dry-run',
  deploy: `npm run deploy
curl -sS https://img.example/v1/health
npm run grant -- you@gmail.com 1000 --remote`,
  // `read -s` keeps them out of sight, of the history and of the list of processes
  stripe: `# Both at once: each change of secrets is deployed, and one of the two alone stops the start.
# Paste sk_… or rk_…, Enter, then whsec_…, Enter; neither is shown.
read -rs KEY && read -rs HOOK &&
  printf '{"STRIPE_SECRET_KEY":"%s","STRIPE_WEBHOOK_SECRET":"%s"}' "$KEY" "$HOOK" |
  npx wrangler secret bulk`,
  // One chain, so that nothing is put or taken away after a step that failed, and that `read`
  // takes none of the lines that are pasted. The pattern refuses an empty or mangled value.
  rotateRemotely: `read -rs OLD &&
  printf %s "$OLD" | grep -Eq '^[0-9]+:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9]+:[A-Za-z0-9+/]{43}=)*$' &&
  export KEY_SECRETS="$((\${OLD%%:*} + 1)):$(openssl rand -base64 32),$OLD" &&
  echo "Keep this: $KEY_SECRETS" &&
  printf %s "$KEY_SECRETS" | npx wrangler secret put KEY_SECRETS &&
  sleep 60 &&
  echo "Make a key in the cabinet, revoke it, and press Enter." &&
  read -r DONE &&
  npm run rotate-keys -- --remote &&
  printf %s "\${KEY_SECRETS%%,*}" | npx wrangler secret put KEY_SECRETS &&
  echo "Keep this instead: \${KEY_SECRETS%%,*}" &&
  unset KEY_SECRETS OLD`,
  rotateLocally: `echo "2:$(openssl rand -base64 32)"               # put it, and a comma, in front of the old pair
npm start                                        # anew, if it is running
npm run rotate-keys
# then take the old pair out of .dev.vars, and start anew`,
  rotateCode: 'openssl rand -base64 32 | npx wrangler secret put CODE_SECRET',
  rotateStripe: `npx wrangler secret put STRIPE_SECRET_KEY        # paste it when asked
npx wrangler secret put STRIPE_WEBHOOK_SECRET`,
  tail: `npx wrangler tail --format json |
  jq -c '.logs[].message[] | objects | select(.event == "request" and .status >= 500)'`,
  update: `git pull
npm test
npm run deploy`,
  rollback: `npx wrangler rollback                            # the Worker alone
npx wrangler d1 time-travel restore DB --timestamp=2026-11-20T16:31:00Z   # the data, if it must be`,
} as const;
