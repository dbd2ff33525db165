/** Where a URL points, as it is compared: the name without the dot that may end it, the port always named. */
export interface SourceHost {
  /** In lower case and ASCII; IPv6 in brackets. */
  readonly name: string;
  readonly port: number;
}

/** Host and port of an http or https URL. The URL parser has normalized letters, IDN and addresses (WHATWG URL §3.5). */
export function sourceHost({ hostname, port, protocol }: URL): SourceHost {
  return {
    name: hostname.replace(/\.+$/, ''),
    port: port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 0) : Number(port),
  };
}
