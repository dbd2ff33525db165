/**
 * Builds everything that is bundled with the Worker: WebAssembly, the scripts and styles of its pages, and the
 * documentation.
 */
import './build-wasm.ts';
import './build-cabinet.ts';
import './build-docs.ts';
