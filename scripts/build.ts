/** Builds all that the Worker is bundled with: WebAssembly, and the scripts and styles of its pages, and the documentation. */
import './build-wasm.ts';
import './build-cabinet.ts';
import './build-docs.ts';
