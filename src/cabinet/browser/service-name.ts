/** What this deployment calls itself, as the page says it. */
export function serviceName(): string {
  return (
    document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ??
    document.title
  );
}
