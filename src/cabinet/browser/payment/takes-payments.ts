/** Whether anything can be bought on this deployment, as the page says it. */
export function takesPayments(): boolean {
  return document.getElementById('app')?.dataset.payments !== 'off';
}
