// The part of highlight.js that is used, in JavaScript: its own types would bring those of the DOM into the Worker's.
export { default as highlighter } from 'highlight.js/lib/core';
export { default as bash } from 'highlight.js/lib/languages/bash';
export { default as go } from 'highlight.js/lib/languages/go';
export { default as ini } from 'highlight.js/lib/languages/ini';
export { default as javascript } from 'highlight.js/lib/languages/javascript';
export { default as json } from 'highlight.js/lib/languages/json';
export { default as php } from 'highlight.js/lib/languages/php';
export { default as python } from 'highlight.js/lib/languages/python';
export { default as ruby } from 'highlight.js/lib/languages/ruby';
