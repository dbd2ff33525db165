/** Line icons of 20 × 20 pixels in the color of the text. The buttons that contain them have text labels. */
const paths = {
  download: 'M10 3v9m0 0 3.5-3.5M10 12 6.5 8.5M4 15.5h12',
  remove: 'M5 5l10 10M15 5 5 15',
  compare: 'M10 3v14M4 5h4v10H4zM12 5h4v10h-4z',
  image: 'M3.5 4.5h13v11h-13zM3.5 13l4-4 3.5 3.5 2-2 3.5 3.5M12.5 8h.01',
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
