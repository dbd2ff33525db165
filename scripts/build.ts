/**
 * Builds everything that is bundled with the Worker: WebAssembly, the scripts and styles of its pages, the package that
 * it serves, and the documentation.
 */
import './build-wasm.ts';
import './build-cabinet.ts';
import './build-tarball.ts';
import './build-docs.ts';
