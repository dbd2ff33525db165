/** The error of the runtime for a body whose sender has gone. */
export function lostConnection(): Error {
  return Object.assign(new Error('Network connection lost.'), { retryable: true });
}
