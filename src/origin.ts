/** Whether a text is the origin of a website as browsers write it, such as `https://img.example`. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}
