/** Builds all that the Worker is bundled with: WebAssembly, and the scripts and styles of its pages. */
import './build-wasm.ts';
import './build-cabinet.ts';
