import { identity } from '../identity.ts';

/** The text for `--help`: at most 24 lines of 80 characters, so that it fits a terminal. */
export const help = `npx ${identity.name} [options] <files, folders or globs>

Makes images smaller. Replaces them in place, never by larger ones; a result in
another format is put beside its image.

  -o, --out <folder>      put results there, and leave the images as they are
  -f, --format <name>     keep, auto, jpeg, png, webp, avif, gif, jxl
  -w, --width, --height   at most so many pixels; --fit inside or cover
  -t, --target <score>    how good it looks: low, medium, high or 30 to 95
  -b, --max-bytes <n>     the best result that is no larger than this
  -q, --quality <value>   auto, lossless, or 1 to 100 on the format’s own scale
  --metadata <which>      none, copyright, all     --animation  keep, first
  --background <#rrggbb>  behind transparency      --hdr        keep, drop
  -c, --concurrency <n>   images at a time (4)     --keep-time  of last change
  --cache <folder>        instead of the user’s    --no-cache   send everything
  --watch                 stay, and optimize what is added or changed
  -n, --dry-run           send and write nothing   --json       a line per file
  -h, --help              -v, --version

FEWERBYTES_URL: the service’s address; FEWERBYTES_KEY: API key, from its cabinet
Exit status: 0 all done, 1 some failed, 2 wrong usage, 3 API key not accepted,
4 quota used up, 130 interrupted. More: the page /docs/cli of the service.
`;
