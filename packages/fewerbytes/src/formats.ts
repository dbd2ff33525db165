/**
 * Name and file extensions of each format, the usual one first, and whether the service accepts it. Made from the
 * service's registry of formats; `npm run docs` writes this file.
 */
export const formats = {
  'image/jpeg': { name: 'jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], isInput: true },
  'image/png': { name: 'png', extensions: ['png', 'apng'], isInput: true },
  'image/webp': { name: 'webp', extensions: ['webp'], isInput: true },
  'image/avif': { name: 'avif', extensions: ['avif'], isInput: true },
  'image/gif': { name: 'gif', extensions: ['gif'], isInput: true },
  'image/jxl': { name: 'jxl', extensions: ['jxl'], isInput: false },
} as const;
