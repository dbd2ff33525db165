/** What is said where nobody can be paid. */
export function NotConfigured() {
  return (
    <p class="notice warn">
      <strong>Payments are not set up on this deployment.</strong> Ask whoever runs it to set them
      up, or to add files to your account. Your free files work all the same.
    </p>
  );
}
